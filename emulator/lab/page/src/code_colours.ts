/** What the words of litmus tests and modules are called, and the colours that they have. */
import {HighlightStyle, syntaxHighlighting} from '@codemirror/language';
import {tags} from '@lezer/highlight';

export const tokenTable = {
  heading: tags.heading, variable: tags.variableName, name: tags.propertyName, attribute: tags.attributeName,
  modifier: tags.modifier, type: tags.typeName, operator: tags.operatorKeyword,
};

export const codeColours = syntaxHighlighting(HighlightStyle.define([
  {tag: tags.keyword, color: 'var(--code-keyword)', fontWeight: '600'},
  {tag: tags.operatorKeyword, color: 'var(--code-instruction)', fontWeight: '600'},
  {tag: tags.modifier, color: 'var(--code-order)'},
  {tag: tags.typeName, color: 'var(--code-scope)'},
  {tag: tags.attributeName, color: 'var(--code-class)'},
  {tag: tags.heading, fontWeight: '700'},
  {tag: tags.variableName, color: 'var(--code-register)'},
  {tag: tags.number, color: 'var(--code-number)'},
  {tag: [tags.comment, tags.meta], color: 'var(--faint)', fontStyle: 'italic'},
]));
