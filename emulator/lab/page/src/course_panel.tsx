/** The lessons of samples/course. */
import type {ComponentChildren} from 'preact';
import {challengesOf} from './challenge_panel';
import {claimOf, type Claim} from './claims';
import {example, kLessons, type Example} from './library';
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

/** Buttons behind a claim: its drawing, and a game that comes to it. */
function ClaimButtons({claim, onSee, onPlay}: {claim: Claim; onSee: (claim: Claim) => void; onPlay: (claim: Claim) => void}) {
  const words = claim.condition || 'races';
  return (
    <>
      {' '}<button type="button" class="small" aria-label={`See why: ${claim.test.name}, ${words}`} onClick={() => onSee(claim)}>See why</button>
      {claim.allowed && <>{' '}<button type="button" class="small" aria-label={`Play it: ${claim.test.name}, ${words}`} onClick={() => onPlay(claim)}>Play it</button></>}
    </>
  );
}

interface Acts {
  open: (one: Example) => void;
  onSee: (claim: Claim) => void;
  onPlay: (claim: Claim) => void;
}

function Item({text, open, ...acts}: Acts & {text: string}) {
  const claim = claimOf(text);
  return <li>{inline(text, open)}{claim && <ClaimButtons claim={claim} {...acts} />}</li>;
}

/** What the lessons use of Markdown: headings, paragraphs, lists. */
function Markdown({text, ...acts}: Acts & {text: string}) {
  const {open} = acts;
  return <>{text.trim().split(/\n\s*\n/).map((block, i) => {
    const heading = /^(#+) (.*)$/.exec(block);
    if (heading) return heading[1].length === 1 ? <h2 key={i}>{heading[2]}</h2> : <h3 key={i}>{heading[2]}</h3>;
    const item = /^(-|\d+\.) /;
    if (item.test(block)) {
      const items = block.split(/\n(?=(?:-|\d+\.) )/).map(one => <Item key={one} text={one.replace(item, '')} {...acts} />);
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

interface Props extends Acts {
  lesson: number;
  onLesson: (lesson: number) => void;
  onChallenge: (challenge: number) => void;
}

export function CoursePanel({lesson: asked, onLesson, onChallenge, ...acts}: Props) {
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
      <Markdown text={now.text} {...acts} />
      <Challenges lesson={lesson} onChallenge={onChallenge} />
    </section>
  );
}
