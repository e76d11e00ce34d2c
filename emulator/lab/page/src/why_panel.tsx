/** Why: what is allowed and what is forbidden as graphs, the missing link of a race, and changes as buttons. */
import type {Answer, Change, CycleEdge, Forbidden, Graph} from './answer';
import {spell} from './answer';
import {clauseName} from './graph';
import {GraphFrame} from './graph_frame';
import {inWords} from './graph_view';
import {Code, prose} from './prose';

interface Props {
  answer: Answer | null;
  /** What is shown: `race`, or an outcome's text. */
  shown: string;
  onShown: (shown: string) => void;
  onChange: (change: Change) => void;
  onDrawn: () => void;
  onLine: (line: number) => void;
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** What a change leaves, where it does not leave the test without a race. */
const left = (change: Change) => change.other_race && <> Another race is left: {prose(change.other_race)}.</>;

/** The races beside the one that is drawn. */
function Others({races}: {races: string[]}) {
  if (races.length < 2) return null;
  return <details><summary>{races.length} pairs of instructions race</summary><ul>{races.map(text => <li key={text}>{prose(text)}</li>)}</ul></details>;
}

function Fixes({changes, onChange}: {changes: Change[]; onChange: (change: Change) => void}) {
  if (changes.length === 0) return <p>No change of the instructions that there are leaves the test without this race.</p>;
  return (
    <ol class="fixes">
      {changes.slice(0, 4).map((change, i) => (
        <li key={change.text}>
          {change.edits === null
            ? <span class="faint">{change.why_no_edits} </span>
            : <><button type="button" onClick={() => onChange(change)} data-fix={i}>Mend it</button>{' '}</>}
          {prose(sentence(change.text))}.
          {left(change)}
          {change.edits?.map(edit => (
            <div class="edit" key={`${edit.line}:${edit.column}`}>line {edit.line}: <del>{edit.old}</del> <ins>{edit.new}</ins></div>
          ))}
        </li>
      ))}
    </ol>
  );
}

/** What is forbidden about an outcome, in words. */
function Reason({forbidden}: {forbidden: Forbidden}) {
  return (
    <div class="reason">
      <p>{prose(forbidden.text)} {forbidden.clause && <span class="faint">({clauseName(forbidden.clause)})</span>}</p>
      {forbidden.violated > 1 && <p class="faint">This is the execution that comes nearest; it breaks {forbidden.violated} rules.</p>}
    </div>
  );
}

/** Each edge of the cycle with its relation and its clause. */
function Cycle({cycle, name}: {cycle: CycleEdge[]; name: (index: number) => string}) {
  return (
    <div class="reason">
      <p>The cycle: each comes before the next, and the last before the first.</p>
      <ol class="cycle">{cycle.map(edge => (
        <li key={`${edge.from} ${edge.to}`}><Code text={name(edge.from)} /> <b class="edge">{edge.relation}</b> <Code text={name(edge.to)} />:{' '}
          {prose(edge.text)} <span class="faint">({clauseName(edge.clause)})</span></li>))}</ol>
    </div>
  );
}

interface Choice {
  key: string;
  title: string;
  graph: Graph | null;
  cycle?: CycleEdge[];
  forbidden?: Forbidden;
}

function choicesOf(answer: Answer): Choice[] {
  const why = answer.why!;
  const race: Choice[] = why.race ? [{key: 'race', title: 'An execution with the race', graph: why.race.graph}] : [];
  for (const one of why.undefined ?? []) race.push({key: one.kind, title: `An execution with undefined behaviour: ${one.kind}`, graph: one.graph});
  const allowed = (outcome: string, graph: Graph | null): Choice => ({key: outcome, title: `An execution that ends with ${outcome}`, graph});
  const rows = why.rows?.map((row): Choice => {
    const key = spell(row.outcome);
    const asked = row.asked ? ', which the test asks for' : '';
    if (!row.forbidden) return {...allowed(key, why.graphs[row.graph ?? -1] ?? null), title: `An execution that ends with ${key}${asked}`};
    return {key, title: `Forbidden: ${key}${asked}`, graph: row.forbidden.graph, cycle: row.forbidden.cycle, forbidden: row.forbidden};
  });
  const others = rows ?? why.graphs.map((graph, i) => allowed(spell(answer.outcomes![i]), graph));
  return [...race, ...others.filter(one => one.graph || one.forbidden)];
}

/** Why a module races, in the words of its source. */
function ModuleWhy({answer, onLine}: {answer: Answer; onLine: (line: number) => void}) {
  const races = answer.races ?? [];
  return (
    <section aria-label="Why">
      {races.map(race => (
        <div class="reason racy" key={`${race.first.line} ${race.second.line} ${race.object}`}>
          <h3>Why there is a race on {race.object}</h3>
          {[race.first, race.second].map(access => (
            <p key={access.line}><button type="button" class="small" onClick={() => onLine(access.line)}>Line {access.line}</button> {access.operation}, <Code text={access.function} /></p>))}
          <p class="missing">{sentence(race.reason)}.</p>
          {race.changes.length > 0 && <p>What would order them:</p>}
          <ol class="fixes">{race.changes.map(change => <li key={change}>{sentence(change)}.</li>)}</ol>
        </div>))}
      {(answer.findings ?? []).map(one => <p class="verdict racy" key={`${one.line} ${one.message}`}>Line {one.line}: {one.message}</p>)}
      {races.length === 0 && <p class={`verdict ${answer.racy ? 'racy' : 'fine'}`} role="status">{answer.racy
        ? 'Some execution has a data race, and none of the runs met it: play the outcome that it has.'
        : 'There is no data race in any execution that was looked at.'}</p>}
      <p class="faint">Graphs are drawn of litmus tests.</p>
    </section>
  );
}

const kWhyNone: Record<string, string> = {
  exists: 'Why no execution ends as the test asks', '~exists': 'Why no execution ends so', forall: 'Why every execution ends so',
};

export function WhyPanel({answer, shown, onShown, onChange, onDrawn, onLine}: Props) {
  const why = answer?.why;
  if (answer?.format === 'spirv') return <ModuleWhy answer={answer} onLine={onLine} />;
  if (!answer || answer.error || !why) {
    return <section aria-label="Why"><p class="faint">{answer?.claims ? 'Graphs are drawn of tests of the Vulkan dialect.'
                                                                       : 'Press Run, and see why.'}</p></section>;
  }
  const race = why.race;
  const choices = choicesOf(answer);
  const now = choices.find(choice => choice.key === shown) ?? choices[0];
  const operation = (index: number) => index < 0 ? 'the initial value' : now.graph?.operations[index]?.text ?? '';
  return (
    <section aria-label="Why">
      {race && (
        <div class="reason racy">
          <h3>Why there is a race{race.missing_link && <>: <span class="missing">{prose(race.missing_link)}</span></>}</h3>
          {race.text.trim().split('\n').map(line => <p key={line}>{prose(line)}</p>)}
          <Others races={race.races ?? []} />
          <Fixes changes={race.changes} onChange={onChange} />
        </div>
      )}
      {why.undefined?.map(one => (
        <div class="reason racy" key={one.kind}><h3>Why the behaviour is undefined: {one.kind}</h3><p>{prose(one.text)}</p></div>))}
      {!race && !why.undefined?.length && <p class="verdict fine" role="status">There is no data race in any execution.</p>}
      {why.forbidden && (
        <div class="reason"><h3>{kWhyNone[answer.quantifier ?? ''] ?? kWhyNone.exists}</h3>{!now?.forbidden && why.forbidden.trim().split('\n').map(line => <p key={line}>{prose(line)}</p>)}</div>
      )}
      {now && (
        <>
          <div class="row">
            <label>Show <select value={now.key} onChange={event => onShown(event.currentTarget.value)}>
              {choices.map(choice => <option key={choice.key} value={choice.key}>{choice.title}</option>)}
            </select></label>
          </div>
          {now.forbidden && <Reason forbidden={now.forbidden} />}
          {now.graph && <GraphFrame graph={now.graph} cycle={now.cycle} title={`${answer.name}. ${now.title}`} file={`${answer.name}-${now.key}`}
                                    onDrawn={onDrawn} onLine={onLine} />}
          {now.cycle && now.cycle.length > 0 && <Cycle cycle={now.cycle} name={operation} />}
          {now.graph && <details><summary>The graph in words</summary><ul>{inWords(now.graph).map(line => <li key={line}>{line}</li>)}</ul></details>}
        </>
      )}
    </section>
  );
}
