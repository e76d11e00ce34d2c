/** Back and forward: an entry of the browser's history for each step on the page, with the text as it was there. */
import {useEffect, useLayoutEffect, useRef} from 'preact/hooks';
import type {Work} from './works';
import {addressOf, placeOf, type Place} from './places';

export interface View extends Place {
  work: Work;
}

/** A browser refuses hundreds of changes of an address within seconds: one who types makes one for each rest. */
const kMillisecondsOfRest = 300;

/** A browser takes no entry that is too long: without its text it leads to its place alone. */
const kLongestText = 100000;
const entryOf = (view: View): Partial<View> => view.work.text.length > kLongestText ? {...view, work: undefined} : view;

function sameStep(a: View, b: View): boolean {
  return addressOf(a) === addressOf(b) && a.work.opened === b.work.opened;
}

/**
 * Keeps the address and the history in step with `view`. `onView` shows what back and forward, an address or a link in
 * the page come to; `onLink` opens an address that is none of a place, and is called for the first address as well.
 */
export function useAddress(view: View, onView: (view: Partial<View>) => void, onLink: (hash: string) => Promise<void>) {
  const last = useRef(view);
  const calls = useRef({onView, onLink});
  calls.current = {onView, onLink};
  // A link that is being opened has its own address until it is.
  const opening = useRef(true);

  const follow = async (state: Partial<View> | null) => {
    const known = state ?? placeOf(location.hash);
    if (!known) {
      opening.current = true;
      await calls.current.onLink(location.hash);
      opening.current = false;
    } else {
      last.current = {...last.current, ...known, work: (known as Partial<View>).work ?? last.current.work};
      calls.current.onView(known);
    }
  };

  useEffect(() => {
    void follow(null).then(() => opening.current = false);
    const onPop = (event: PopStateEvent) => void follow(event.state);
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);

  const {tab, lesson, challenge, work} = view;
  // At once, so that two quick steps are two.
  useLayoutEffect(() => {
    const before = last.current;
    last.current = view;
    const address = addressOf(view);
    if (!sameStep(before, view) && !opening.current) {
      history.replaceState(entryOf(before), '');
      history.pushState(entryOf(view), '', address);
      return;
    }
    // Unless one has gone back meanwhile: the entry is another one then.
    const timer = setTimeout(() => last.current === view && history.replaceState(entryOf(view), '', address), kMillisecondsOfRest);
    return () => clearTimeout(timer);
  }, [tab, lesson, challenge, work]);
}
