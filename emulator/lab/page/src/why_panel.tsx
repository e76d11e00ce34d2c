/** Why: the execution graph, the missing link, and changes as buttons. */
import {useRef, useState} from 'preact/hooks';
import type {Answer, Change, Graph} from './answer';
import {spell} from './answer';
import {saveSvg} from './save_file';
import {GraphView, Legend, inWords} from './graph_view';

interface Props {
  answer: Answer | null;
  onChange: (change: Change) => void;
  onDrawn: () => void;
  onLine: (line: number) => void;
}

function Fixes({changes, onChange}: {changes: Change[]; onChange: (change: Change) => void}) {
  if (changes.length === 0) return <p>No change of the instructions that there are leaves the test without this race.</p>;
  return (
    <ol class="fixes">
      {changes.slice(0, 4).map((change, i) => (
        <li key={change.text}>
          <button type="button" disabled={change.edits === null} onClick={() => onChange(change)} data-fix={i}>Mend it</button>{' '}
          {change.text.charAt(0).toUpperCase() + change.text.slice(1)}.
          {change.edits?.map(edit => (
            <div class="edit" key={`${edit.line}:${edit.column}`}>line {edit.line}: <del>{edit.old}</del> <ins>{edit.new}</ins></div>
          ))}
        </li>
      ))}
    </ol>
  );
}

export function WhyPanel({answer, onChange, onDrawn, onLine}: Props) {
  const [shown, setShown] = useState('race');
  const place = useRef<HTMLDivElement>(null);
  const why = answer?.why;
  if (!answer || answer.error || !why) {
    return <section aria-label="Why"><p class="faint">{answer?.claims ? 'Graphs are drawn of tests of the Vulkan dialect.'
                                                                       : 'Press Run, and see why.'}</p></section>;
  }
  const race = why.race;
  const choices: {key: string; title: string; graph: Graph}[] = [];
  if (race) choices.push({key: 'race', title: 'An execution with the race', graph: race.graph});
  why.graphs.forEach((graph, i) => {
    if (graph) choices.push({key: String(i), title: `An execution that ends with ${spell(answer.outcomes![i])}`, graph});
  });
  const now = choices.find(choice => choice.key === shown) ?? choices[0];
  const relations = now ? [...new Set([...now.graph.edges.map(edge => edge.relation), ...(now.graph.races.length > 0 ? ['race'] : [])])] : [];
  return (
    <section aria-label="Why">
      {race && (
        <div class="reason racy">
          <h3>Why there is a race{race.missing_link && <>: <span class="missing">{race.missing_link}</span></>}</h3>
          {race.text.trim().split('\n').map(line => <p key={line}>{line}</p>)}
          <Fixes changes={race.changes} onChange={onChange} />
        </div>
      )}
      {!race && <p class="verdict fine" role="status">There is no data race in any execution.</p>}
      {why.forbidden && (
        <div class="reason"><h3>Why no execution ends otherwise than the test says</h3>{why.forbidden.trim().split('\n').map(line => <p key={line}>{line}</p>)}</div>
      )}
      {now && (
        <>
          <div class="row">
            <label>Show <select value={now.key} onChange={event => setShown(event.currentTarget.value)}>
              {choices.map(choice => <option key={choice.key} value={choice.key}>{choice.title}</option>)}
            </select></label>
            <button type="button" onClick={() => saveSvg(place.current!.querySelector('svg.graph') as SVGSVGElement, `${answer.name}-${now.key}`)}>
              Save as SVG</button>
          </div>
          <div class="scroll" ref={place} tabIndex={0} role="group" aria-label="Execution graph">
            <GraphView graph={now.graph} title={now.title} onDrawn={onDrawn} onLine={onLine} />
          </div>
          <Legend relations={relations} />
          <details><summary>The graph in words</summary><ul>{inWords(now.graph).map(line => <li key={line}>{line}</li>)}</ul></details>
        </>
      )}
    </section>
  );
}
