/** Outcomes as bars, by policy, beside the exact set. */
import type {Answer, Policy, Totals} from './answer';
import {spell} from './answer';
import {prose} from './prose';
import {rowsOf, type Row} from './runs';

interface Props {
  answer: Answer | null;
  policies: Policy[];
  chosen: string[];
  runs: number;
  seed: number;
  totals: Record<string, Totals>;
  running: boolean;
  /** Why the test cannot run, or the runs ended early. */
  runProblem: string;
  onChoose: (chosen: string[]) => void;
  onRuns: (runs: number) => void;
  onSeed: (seed: number) => void;
  onStop: () => void;
  onPlay: (row: Row) => void;
}

const kRunCounts = [1000, 10000, 100000, 1000000];

export function verdictOf(answer: Answer): string {
  const parts = [];
  const so = answer.complete ? '' : ' as far as the search went';
  if (answer.quantifier === 'exists')
    parts.push(answer.holds ? 'Allowed: some execution ends as the test asks.' : `Forbidden: no execution ends as the test asks${so}.`);
  else if (answer.quantifier === '~exists' || answer.quantifier === 'not exists')
    parts.push(answer.holds ? `It holds: no execution ends so${so}.` : 'It fails: some execution ends so.');
  else if (answer.quantifier === 'forall')
    parts.push(answer.holds ? `It holds: every execution ends so${so}.` : 'It fails: not every execution ends so.');
  if (answer.format === 'spirv' && (answer.undefined ?? []).length > 0)
    parts.push(...answer.undefined!.map(one => `Undefined behaviour in line ${one.line}: ${one.what}.`));
  if (answer.racy !== undefined) parts.push(answer.racy ? 'There is a data race.' : 'There is no data race.');
  return parts.join(' ');
}

function Bar({count, most}: {count: number; most: number}) {
  const width = count === 0 ? 0 : Math.max(2, 100 * Math.log10(1 + count) / Math.log10(1 + most));
  return (
    <span class="bar-cell">
      <span class="bar" style={{width: `${width}%`}} />
      <span class="count">{count.toLocaleString('en')}</span>
    </span>
  );
}

function Outcomes({answer, chosen, totals, onPlay}: Pick<Props, 'chosen' | 'totals' | 'onPlay'> & {answer: Answer}) {
  const counts = Object.fromEntries(chosen.map(policy => [policy, new Map(
    (totals[policy]?.histogram ?? []).map(row => [spell(row.outcome), row.count]))]));
  const rows = rowsOf(answer);
  const listed = new Set(rows.map(row => row.key));
  const others = new Map(Object.values(totals).flatMap(one => one.histogram).map(row => [spell(row.outcome), row.outcome]));
  for (const [key, outcome] of others) if (!listed.has(key)) rows.push({outcome, key, allowed: false, asked: false, drawn: false});
  const most = Math.max(1, ...Object.values(totals).map(one => one.runs));
  return (
    <div class="scroll">
      <table class="outcomes">
        <caption class="hidden">Outcomes: what the memory model allows, and how often each came up</caption>
        <thead>
          <tr>
            <th scope="col">Outcome</th><th scope="col">Model</th>
            {chosen.map(policy => <th scope="col" key={policy}>{policy}</th>)}
            <th scope="col"><span class="hidden">Play</span></th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => {
            const seen = chosen.some(policy => (counts[policy].get(row.key) ?? 0) > 0);
            const kind = !row.allowed ? 'forbidden' : seen ? 'seen' : 'unseen';
            const label = {forbidden: '✕ forbidden', seen: '● allowed, seen', unseen: '○ allowed, not seen'}[kind] + (row.weak ? ', weak' : '');
            return (
              <tr key={row.key} class={kind} data-outcome={row.key}>
                <th scope="row"><code>{row.key}</code>{row.asked && <span class="asked"> ◂ asked</span>}</th>
                <td class="kind">{label}</td>
                {chosen.map(policy => <td key={policy}><Bar count={counts[policy].get(row.key) ?? 0} most={most} /></td>)}
                <td><button type="button" class="small" onClick={() => onPlay(row)}
                            aria-label={`${row.allowed ? 'Show one' : 'Why never?'} ${row.key}`}>{row.allowed ? 'Show one' : 'Why never?'}</button></td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Claims({answer}: {answer: Answer}) {
  return (
    <ul>{answer.claims!.map(claim => <li key={claim.text}>{claim.holds ? '● holds' : '✕ fails'}: <code>{claim.text}</code></li>)}</ul>
  );
}

export function RunPanel(props: Props) {
  const {answer, policies, chosen, totals, running, runs, seed} = props;
  const toggle = (name: string) =>
    props.onChoose(policies.map(one => one.name).filter(one => (one === name) !== chosen.includes(one)));
  return (
    <section aria-label="Run">
      {answer && !answer.error && <p class={`verdict ${answer.racy ? 'racy' : 'fine'}`} role="status">{verdictOf(answer)}</p>}
      <details class="settings">
        <summary>Policies and runs: {chosen.join(', ')}; {runs.toLocaleString('en')} each, seed {seed}</summary>
        <fieldset>
          <legend>Policies</legend>
          {policies.map(policy => (
            <label key={policy.name} title={policy.description}>
              <input type="checkbox" checked={chosen.includes(policy.name)} onChange={() => toggle(policy.name)} /> {policy.name}
            </label>
          ))}
        </fieldset>
        <label>Runs of each <select value={runs} onChange={event => props.onRuns(Number(event.currentTarget.value))}>
          {kRunCounts.map(count => <option key={count} value={count}>{count.toLocaleString('en')}</option>)}
        </select></label>
        <label>Seed <input type="number" min="0" max="9007199254740991" value={seed}
                           onInput={event => props.onSeed(Math.max(0, Math.floor(Number(event.currentTarget.value) || 0)))} /></label>
      </details>
      {running && <p><progress max={runs * chosen.length} value={Object.values(totals).reduce((sum, one) => sum + one.runs, 0)} />{' '}
        <button type="button" onClick={props.onStop}>Stop</button></p>}
      {props.runProblem && <p class="problem" role="alert">{prose(props.runProblem)}</p>}
      {!answer && <p class="faint">Press <b>Run</b> (Ctrl+Enter), and see what this test can do.
        New to the memory of GPUs? <a href="#course/1">The course</a> begins with two threads and two variables.</p>}
      {answer?.claims && <Claims answer={answer} />}
      {answer?.outcomes && <Outcomes answer={answer} chosen={chosen} totals={totals} onPlay={props.onPlay} />}
      {answer?.outcomes && <p class="faint">
        {answer.executions} consistent {answer.executions === 1 ? 'execution' : 'executions'}{answer.complete ? '' : '; the search is not complete'}.
        Bars are on a logarithmic scale.{' '}
        {answer.why?.rows?.some(row => row.weak) && 'Weak is what no interleaving of the threads ends with: on sequential memory it never comes up. '}
        {chosen.map(policy => totals[policy]).some(one => one && one.racy_runs > 0) &&
          `The race detector found a race in ${chosen.filter(policy => totals[policy]).map(policy => `${totals[policy].racy_runs.toLocaleString('en')} runs on ${policy}`).join(', ')}.`}
      </p>}
    </section>
  );
}
