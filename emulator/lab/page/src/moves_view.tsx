/** The moves that a game allows now, by the numbers of their keys; the focus stays among them from move to move. */
import {useLayoutEffect, useRef} from 'preact/hooks';
import type {Move, State} from './game';

/** How many moves have a key of their own. */
export const kKeys = 9;

export function MovesView({state, onMove}: {state: State; onMove: (move: Move) => void}) {
  const list = useRef<HTMLOListElement>(null);
  const focused = useRef<number | null>(null);
  // The move that had the focus is done, and its button is gone: the one in its place has the focus then.
  useLayoutEffect(() => {
    if (focused.current === null || (document.activeElement && document.activeElement !== document.body)) return;
    const buttons = list.current!.querySelectorAll('button');
    (buttons[Math.min(focused.current, buttons.length - 1)] ?? list.current!).focus();
  }, [state]);
  const onFocusOut = (event: FocusEvent) => {
    // Focus that goes elsewhere is not asked back; a button that vanishes has sent it nowhere.
    if (event.relatedTarget) focused.current = null;
  };
  return (
    <ol class="moves now" ref={list} tabIndex={-1} aria-label="Moves" onFocusOut={onFocusOut}>
      {state.moves.map((one, i) => (
        <li key={one.id}>
          <button type="button" data-move={one.id} onFocus={() => focused.current = i} onClick={() => (focused.current = i, onMove(one))}>
            {i < kKeys && <kbd>{i + 1}</kbd>} {one.text}</button>
        </li>))}
    </ol>
  );
}
