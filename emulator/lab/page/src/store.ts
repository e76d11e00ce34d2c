/** What the browser keeps: the text that is being written, and settings. Without storage the page works as well. */
export function keep(key: string, value: unknown) {
  try {
    localStorage.setItem(`heddle-lab.${key}`, JSON.stringify(value));
  } catch {
    // A private window, or a full disk: nothing is kept.
  }
}

export function kept<T>(key: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(`heddle-lab.${key}`);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}
