/** Bookmarks and breakpoints of a game. The desk keeps both (emulator/lab/PROTOCOL.md); here they are set and taken away. */
import {useState} from 'preact/hooks';
import type {Break, State} from './game';

const kKinds = [['line', 'a thread comes to line'], ['variable', 'this variable is accessed'], ['race', 'there is a new data race'],
  ['outcome', 'the game ends as the test asks']] as const;
type Kind = typeof kKinds[number][0];

function breakText(one: Break): string {
  if (one.line !== undefined) return `line ${one.line}`;
  if (one.variable !== undefined) return `variable ${one.variable}`;
  return one.race ? 'a data race' : 'the outcome that the test asks for';
}

interface Props {
  state: State;
  ask: (request: object) => void;
}

function Bookmarks({state, ask}: Props) {
  const [name, setName] = useState('');
  const set = () => {
    if (name.trim() === '') return;
    ask({request: 'bookmark', name: name.trim()});
    setName('');
  };
  return (
    <fieldset>
      <legend>Bookmarks</legend>
      <label>Name <input value={name} onInput={event => setName(event.currentTarget.value)} onKeyDown={event => event.key === 'Enter' && set()} /></label>{' '}
      <button type="button" class="small" disabled={name.trim() === ''} onClick={set}>Set at step {state.at}</button>
      <ul class="moves">{state.bookmarks.map(one => (
        <li key={one.name}>
          <button type="button" class="small" data-bookmark={one.name} onClick={() => ask({request: 'jump', bookmark: one.name})}>Go to {one.name}, step {one.at}</button>
          <button type="button" class="small" aria-label={`Remove the bookmark ${one.name}`} onClick={() => ask({request: 'bookmark', name: one.name, remove: true})}>×</button>
        </li>))}</ul>
    </fieldset>
  );
}

function Breakpoints({state, ask}: Props) {
  const [kind, setKind] = useState<Kind>('race');
  const lines = state.threads.flatMap(thread => thread.code.map(one => one.line)).filter((line, i, all) => all.indexOf(line) === i).sort((a, b) => a - b);
  const variables = [...new Set(state.memory.flatMap(row => row.names ?? [row.variable]))];
  const [line, setLine] = useState(0);
  const [variable, setVariable] = useState('');
  const chosenLine = lines.includes(line) ? line : lines[0];
  const chosenVariable = variables.includes(variable) ? variable : variables[0];
  const fresh: Break = kind === 'line' ? {line: chosenLine} : kind === 'variable' ? {variable: chosenVariable} : kind === 'race' ? {race: true} : {outcome: true};
  const known = state.breaks.some(one => JSON.stringify(one) === JSON.stringify(fresh));
  return (
    <fieldset>
      <legend>Breakpoints: automatic play stops there</legend>
      <label>Stop when <select value={kind} onChange={event => setKind(event.currentTarget.value as Kind)}>
        {kKinds.map(([key, text]) => <option key={key} value={key}>{text}</option>)}
      </select></label>{' '}
      {kind === 'line' && <label>line <select aria-label="Line of the breakpoint" value={chosenLine} onChange={event => setLine(Number(event.currentTarget.value))}>
        {lines.map(one => <option key={one}>{one}</option>)}</select></label>}
      {kind === 'variable' && <label>variable <select aria-label="Variable of the breakpoint" value={chosenVariable} onChange={event => setVariable(event.currentTarget.value)}>
        {variables.map(one => <option key={one}>{one}</option>)}</select></label>}{' '}
      <button type="button" class="small" disabled={known} onClick={() => ask({request: 'breakpoints', breaks: [...state.breaks, fresh]})}>Add</button>
      <ul class="moves">{state.breaks.map((one, i) => (
        <li key={breakText(one)} data-break={breakText(one)}>{breakText(one)}{' '}
          <button type="button" class="small" aria-label={`Remove the breakpoint at ${breakText(one)}`}
                  onClick={() => ask({request: 'breakpoints', breaks: state.breaks.filter((_, k) => k !== i)})}>×</button>
        </li>))}</ul>
    </fieldset>
  );
}

export function Stops(props: Props) {
  const {bookmarks, breaks} = props.state;
  return (
    <details class="settings">
      <summary>Bookmarks and breakpoints ({bookmarks.length} and {breaks.length})</summary>
      <Bookmarks {...props} />
      <Breakpoints {...props} />
    </details>
  );
}
