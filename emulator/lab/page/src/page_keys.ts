/** Keys that work wherever the focus is, but for where one writes. */
import {useEffect, useRef} from 'preact/hooks';

/** Fields that take letters and digits themselves. */
const kWriting = 'input:not([type="range"], [type="checkbox"], [type="radio"]), select, textarea, [contenteditable="true"]';

/** Calls `onKey` with the name of each key; it says whether the key meant something. */
export function usePageKeys(onKey: (key: string) => boolean) {
  const call = useRef(onKey);
  call.current = onKey;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if ((event.target as HTMLElement).closest?.(kWriting)) return;
      if (call.current(event.key)) event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
