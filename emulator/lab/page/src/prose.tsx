/** What the engine says, in which instructions stand between backticks. */
import type {ComponentChildren} from 'preact';
import {useContext} from 'preact/hooks';
import {AllWords, explained} from './words';

/** Code, with what its words mean for whoever points at it. */
export function Code({text}: {text: string}) {
  return <code title={explained(text, useContext(AllWords)) || undefined}>{text}</code>;
}

/** The text with its instructions as code. */
export function prose(text: string): ComponentChildren[] {
  return text.split(/(`[^`]*`)/).map((part, i) => part.startsWith('`') ? <Code key={i} text={part.slice(1, -1)} /> : part);
}
