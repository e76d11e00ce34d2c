/** The tests, modules and lessons that the page opens: those of samples/course and samples/shaders, and some of the test suite. */

const files = import.meta.glob('../../../../samples/course/*.{md,litmus}', {query: '?raw', import: 'default', eager: true}) as
    Record<string, string>;
const more = import.meta.glob(
    '../../../../tests/litmus/library/handwritten/{LB+data,LB+constant,LB+one-copy,Lock+rel,Lock+rlx,Quorum+2-of-3,Quorum+3-of-3,RMW+atomicity,RelSeq+over-a-narrow-update,RelSeq+over-a-narrow-update+rlx,Spin+acquire,Spin+fence}.litmus',
    {query: '?raw', import: 'default', eager: true}) as Record<string, string>;
const modules = import.meta.glob('../../../../samples/shaders/{message,look_back}*.spvasm', {query: '?raw', import: 'default', eager: true}) as
    Record<string, string>;

export interface Example {
  name: string;
  text: string;
}
export interface Lesson {
  file: string;
  title: string;
  text: string;
}

function stem(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.\w+$/, '');
}

const named = (all: Record<string, string>, extension: string): Example[] =>
  Object.entries(all).filter(([path]) => path.endsWith(extension)).map(([path, text]) => ({name: stem(path), text}))
      .sort((a, b) => a.name.localeCompare(b.name));

export const kLessons: Lesson[] = named(files, '.md').filter(({name}) => name !== 'README')
    .map(({name, text}) => ({file: name, text, title: /^# (.*)$/m.exec(text)?.[1] ?? name}));

const course = named(files, '.litmus');
const handwritten = named(more, '.litmus');
const kFamilies: [RegExp, string][] = [
  [/^LB/, 'Load buffering'], [/^RelSeq/, 'Release sequences'], [/^RMW|^Lock/, 'Updates and locks'],
  [/^Spin/, 'Waiting'], [/^Quorum/, 'Barriers with a quorum'],
];

/** Groups in the order in which they teach. */
export const kGroups: {title: string; examples: Example[]}[] = [
  ...kLessons.map((lesson, i) => ({
    title: lesson.title, examples: course.filter(({name}) => name.startsWith(`${i + 1}-`)),
  })),
  {title: 'Shaders (SPIR-V)', examples: named(modules, '.spvasm').sort((a, b) => b.name.startsWith('message') ? 1 : a.name.startsWith('message') ? -1 : 0)},
  ...kFamilies.map(([family, title]) => ({title, examples: handwritten.filter(({name}) => family.test(name))})),
];

export const kExamples: Example[] = kGroups.flatMap(group => group.examples);

export function example(name: string): Example | undefined {
  return kExamples.find(one => one.name === name);
}
