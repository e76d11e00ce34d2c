/** What the engine says, in which instructions stand between backticks. */
import type {ComponentChildren} from 'preact';

/** The text with its instructions as code. */
export function prose(text: string): ComponentChildren[] {
  return text.split(/(`[^`]*`)/).map((part, i) => part.startsWith('`') ? <code key={i}>{part.slice(1, -1)}</code> : part);
}
