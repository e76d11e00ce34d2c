/** The lessons of samples/course. */
import type {ComponentChildren} from 'preact';
import {challengesOf} from './challenge_panel';
import {kLessons, type Example} from './library';
import {example} from './library';
import {Code} from './prose';

/** `code`, *emphasis*, **strong** and [links]: to a test of the course as a button that opens it. */
function inline(text: string, open: (one: Example) => void): ComponentChildren[] {
  return text.split(/(\[`?[^\]]*`?\]\([^)]*\)|`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*)/).map((part, i) => {
    const link = /^\[(.*)\]\((.*)\)$/.exec(part);
    if (link) {
      const test = example(link[2].replace(/\.litmus$/, ''));
      const words = link[1].replace(/`/g, '');
      return test ? <button key={i} type="button" class="test" onClick={() => open(test)}>{words}</button> : words;
    }
    if (part.startsWith('`')) return <Code key={i} text={part.slice(1, -1)} />;
    if (part.startsWith('**')) return <strong key={i}>{part.slice(2, -2)}</strong>;
    if (part.startsWith('*') && part.length > 1) return <em key={i}>{part.slice(1, -1)}</em>;
    return part;
  });
}

/** What the lessons use of Markdown: headings, paragraphs, lists. */
function Markdown({text, open}: {text: string; open: (one: Example) => void}) {
  return <>{text.trim().split(/\n\s*\n/).map((block, i) => {
    const heading = /^(#+) (.*)$/.exec(block);
    if (heading) return heading[1].length === 1 ? <h2 key={i}>{heading[2]}</h2> : <h3 key={i}>{heading[2]}</h3>;
    const item = /^(-|\d+\.) /;
    if (item.test(block)) {
      const items = block.split(/\n(?=(?:-|\d+\.) )/).map(one => <li key={one}>{inline(one.replace(item, ''), open)}</li>);
      return block.startsWith('-') ? <ul key={i}>{items}</ul> : <ol key={i}>{items}</ol>;
    }
    return <p key={i}>{inline(block, open)}</p>;
  })}</>;
}

/** The challenges that belong to a lesson. */
function Challenges({lesson, onChallenge}: {lesson: number; onChallenge: (challenge: number) => void}) {
  return (
    <>
      <h3>Challenges of this lesson</h3>
      <ul>{challengesOf(lesson).map(({at, title, solved}) => (
        <li key={at}><a href={`#challenge/${at + 1}`} onClick={event => (event.preventDefault(), onChallenge(at))}>{at + 1}. {title}</a>{solved && ' ✓ solved'}</li>))}</ul>
    </>
  );
}

export function CoursePanel({lesson: asked, onLesson, onChallenge, onOpen}: {
  lesson: number; onLesson: (lesson: number) => void; onChallenge: (challenge: number) => void; onOpen: (one: Example) => void;
}) {
  const lesson = Math.min(asked, kLessons.length - 1);
  const now = kLessons[lesson];
  return (
    <section aria-label="Course" class="course">
      <div class="row">
        <label>Lesson <select value={lesson} onChange={event => onLesson(Number(event.currentTarget.value))}>
          {kLessons.map((one, i) => <option key={one.file} value={i}>{one.title}</option>)}
        </select></label>
        <button type="button" disabled={lesson === 0} onClick={() => onLesson(lesson - 1)}>Back</button>
        <button type="button" disabled={lesson >= kLessons.length - 1} onClick={() => onLesson(lesson + 1)}>Next</button>
      </div>
      <Markdown text={now.text} open={onOpen} />
      <Challenges lesson={lesson} onChallenge={onChallenge} />
    </section>
  );
}
