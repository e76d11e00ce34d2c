/** Tokens that move: each is drawn on its way from where it was to where it is now. Nobody waits for it. */
import type {RefObject} from 'preact';
import {useLayoutEffect, useRef} from 'preact/hooks';

const kMilliseconds = 350;

interface Spot {
  x: number;
  y: number;
}

/** A token's attributes name it: `data-value` is the write that it is (or the initial value), `data-token` the place as well. */
function spotsIn(root: HTMLElement, selector: string, attribute: string): Map<string, Spot> {
  const origin = root.getBoundingClientRect();
  return new Map([...root.querySelectorAll<HTMLElement>(selector)].map(one => {
    const at = one.getBoundingClientRect();
    return [one.getAttribute(attribute)!, {x: at.x - origin.x, y: at.y - origin.y}];
  }));
}

/**
 * Where a token that is drawn now was before: in the same place; else the same value where it waited; else, for a write
 * that is new, the thread that did the last move. Nothing for one that has come from nowhere.
 */
export function originOf(token: string, value: string, before: Map<string, Spot>, values: Map<string, Spot>, writer: Spot | undefined) {
  return before.get(token) ?? values.get(value) ?? writer;
}

/** Moves the tokens inside of `root` after each drawing in which `step` is another one. */
export function useMotion(root: RefObject<HTMLElement>, step: unknown, lastThread: number | null) {
  const tokens = useRef(new Map<string, Spot>());
  const values = useRef(new Map<string, Spot>());
  useLayoutEffect(() => {
    const here = root.current!;
    const now = spotsIn(here, '[data-token]', 'data-token');
    const begun = tokens.current.size > 0;
    if (begun && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
      const writer = spotsIn(here, '[data-thread]', 'data-thread').get(String(lastThread));
      for (const one of here.querySelectorAll<HTMLElement>('[data-token]')) {
        const to = now.get(one.dataset.token!)!;
        const from = originOf(one.dataset.token!, one.dataset.value!, tokens.current, values.current, writer);
        if (!from || Math.abs(from.x - to.x) + Math.abs(from.y - to.y) < 2) continue;
        one.animate([{transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)`}, {transform: 'none'}],
                    {duration: kMilliseconds, easing: 'ease-in-out'});
      }
    }
    tokens.current = now;
    values.current = spotsIn(here, '[data-token]', 'data-value');
  }, [step]);
}
