/** Texts of SPIR-V modules (.spvasm), which the page plays and runs as it does litmus tests. */
import {StreamLanguage} from '@codemirror/language';
import {codeColours, tokenTable} from './code_colours';

/** Whether a text is that of a module: its first line that is neither empty nor a comment begins with an instruction. */
export function isModule(text: string): boolean {
  const first = text.split('\n').find(line => !/^\s*(?:;|$)/.test(line)) ?? '';
  return /^\s*(?:Op[A-Z]\w*|%\w+\s*=)/.test(first);
}

/** What messages of the engine call the text. */
export const fileOf = (name: string, text: string) => `${name}.${isModule(text) ? 'spvasm' : 'litmus'}`;

/** The text of a module without what says nothing to its dispatch: comments that are no header, and blanks. */
export function moduleProgram(text: string): string {
  const lines = text.split('\n').map(line => /^\s*;\s*@/.test(line) ? line : line.replace(/("(?:[^"\\]|\\.)*")|;.*/g, '$1'));
  return lines.map(line => line.trim().replace(/\s+/g, ' ')).filter(line => line !== '').join('\n');
}

const kMemory = /^Op(?:Load|Store|CopyMemory|Atomic\w*|ControlBarrier|MemoryBarrier|ImageRead|ImageWrite)\b/;
const kOperand = /^(?:(?:Make(?:Pointer|Texel)(?:Available|Visible)|NonPrivate(?:Pointer|Texel)|Volatile|Aligned|Coherent)\b\|?)+/;
const kStorage = /^(?:StorageBuffer|PhysicalStorageBuffer|Workgroup|Uniform|UniformConstant|PushConstant|Function|Private|Input|Output|Image)\b/;

/** The language as far as colours need it. */
const language = StreamLanguage.define<null>({
  name: 'spirv-text',
  startState: () => null,
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^;\s*@\w+.*/)) return 'keyword';
    if (stream.match(/^;.*/)) return 'comment';
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'meta';
    if (stream.match(kMemory)) return 'operator';
    if (stream.match(/^Op[A-Z]\w*/)) return 'heading';
    if (stream.match(kOperand)) return 'attribute';
    if (stream.match(kStorage)) return 'type';
    if (stream.match(/^%\w+/)) return 'variable';
    if (stream.match(/^-?(?:0x[\da-f]+|\d+(?:\.\d+)?)\b/i)) return 'number';
    if (stream.match(/^\w+/)) return 'name';
    stream.next();
    return null;
  },
  tokenTable,
});

export const moduleLanguage = [language, codeColours];
