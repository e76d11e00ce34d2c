#pragma once

/// \file
/// The parts of the page of a trace that are the same for all traces.

namespace heddle::cli {

inline constexpr const char* kTracePageHead = R"html(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<style>
:root { color-scheme: light dark; --line: #8886; --now: #fd06; --stale: #c60; --moving: #06a; }
@media (prefers-color-scheme: dark) { :root { --stale: #fa5; --moving: #6cf; } }
body { font: 14px/1.4 system-ui, sans-serif; margin: 0; display: grid; height: 100vh;
       grid-template: auto auto minmax(0, 1fr) minmax(0, 1fr) / 1fr 1fr; }
#tracks { grid-column: 1 / 3; max-height: 34vh; border-bottom: 1px solid var(--line); } #tracks:empty { display: none; }
.tracks { font: 11px system-ui, sans-serif; fill: currentColor; } .tracks rect { fill: #8884; stroke: var(--line); }
.tracks g[data-event] { cursor: pointer; } .tracks .stale rect { stroke: var(--stale); stroke-width: 2; }
.tracks .held rect { fill: #06a3; } .tracks .now rect { fill: var(--now); } .tracks .order { stroke: currentColor; opacity: .45; fill: none; }
header { grid-column: 1 / 3; padding: .5em 1em; border-bottom: 1px solid var(--line); display: flex; gap: .6em;
         flex-wrap: wrap; align-items: center; }
h1 { font-size: 1em; margin: 0; } h2 { font-size: .9em; margin: .4em 0; }
section { overflow: auto; padding: 0 1em; } #log { grid-column: 1 / 3; border-top: 1px solid var(--line); }
pre, ol { font: 12px/1.45 ui-monospace, monospace; margin: 0; padding: 0; white-space: pre; list-style: none; }
.now { background: var(--now); } .stale { color: var(--stale); } .moving { color: var(--moving); }
li button { all: unset; cursor: pointer; display: block; width: 100%; } li button:focus-visible { outline: 2px solid; }
input { font: inherit; width: 9em; } #time { flex: 1; min-width: 8em; } dialog pre { white-space: pre-wrap; max-width: 70ch; }
#races { flex-basis: 100%; max-height: 34vh; overflow: auto; } #races:empty { display: none; }
#races dl { margin: .2em 1em; } #races dl div { display: flex; gap: .6em; } #races dt { flex: 0 0 5em; opacity: .8; }
#races dd { margin: 0; min-width: 0; overflow-wrap: anywhere; } #races summary { cursor: pointer; }
#races dd button { text-align: left; }
@media (max-width: 700px) { body { display: block; height: auto; } section { max-height: 45vh; } }
</style>)html";

inline constexpr const char* kTracePageBody = R"html(<body>
<header><h1 id="title"></h1>
<button id="back" title="back (left arrow)">&lt;</button><button id="on" title="forward (right arrow)">&gt;</button>
<input id="time" type="range" min="0" aria-label="event"><output id="at"></output>
<button id="when">When did this go stale?</button>
<label>buffer <input id="buffer"></label><label>invocation <input id="who"></label>
<label>from <input id="from" type="number" min="0" style="width:5em"></label>
<label>to <input id="to" type="number" min="0" style="width:5em"></label>
<div id="races" role="group" aria-label="data races"></div></header>
<section id="tracks" aria-label="host and queues"></section>
<section aria-label="source"><h2 id="where"></h2><pre id="code"></pre></section>
<section aria-label="caches"><h2>Caches</h2><div id="caches" aria-live="polite"></div></section>
<section id="log" aria-label="events"><ol id="events"></ol></section>
<dialog id="page"><pre id="story"></pre><form method="dialog"><button>Close</button></form></dialog>
)html";

// Stands behind emulator/lab/page/src/film.mjs (kFilmModule), whose functions it calls, and `const data`.
inline constexpr const char* kTracePageScript = R"js(
const $ = id => document.getElementById(id);
const film = openFilm(data);
let shown = [], at = 0;

function filter() {
  const [buffer, who, from, to] = ['buffer', 'who', 'from', 'to'].map(id => $(id).value.trim());
  const event = shown[at] ?? 0;
  shown = passing(film, {buffer, who, from, to});
  at = nearest(shown, event);
  $('time').max = Math.max(0, shown.length - 1);
  draw();
}

function element(tag, text, name) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

// Without moving the page itself, as scrollIntoView would.
function show(row) {
  const box = row.closest('section');
  box.scrollTop = row.offsetTop - box.offsetTop - box.clientHeight / 2;
}

function drawSource(number) {
  const place = placeOf(film, number);
  $('code').replaceChildren();
  $('where').textContent = place ? `${place.file}:${place.line}` : 'No line of the source belongs to this event.';
  if (!place) return;
  if (place.lines.length === 0) $('code').textContent = 'The file could not be read when the page was made.';
  for (let i = Math.max(0, place.line - 30); i < Math.min(place.lines.length, place.line + 30); ++i) {
    const line = `${String(i + 1).padStart(5)} ${place.lines[i]}`;
    $('code').append(element('div', line, i + 1 === place.line ? 'now' : ''));
  }
  const marked = $('code').querySelector('.now');
  if (marked) show(marked);
}

function drawCaches(number) {
  const caches = heldAfter(film, number);
  $('caches').replaceChildren();
  if (caches.length === 0) $('caches').append(element('p', 'Nothing is on its way.'));
  for (const [name, writes] of caches) {
    $('caches').append(element('h2', name));
    for (const write of writes) $('caches').append(element('pre', write, 'moving'));
  }
}

function drawTracks(number) {
  $('tracks').innerHTML = number === undefined ? '' : tracksSvg(film, number);
  for (const slice of $('tracks').querySelectorAll('[data-event]')) {
    slice.onclick = () => look(+slice.dataset.event);
    slice.onkeydown = e => { if (e.key === 'Enter') look(+slice.dataset.event); };
  }
  const marked = $('tracks').querySelector('.now');
  if (marked) $('tracks').scrollLeft = marked.getBBox().x - $('tracks').clientWidth / 2;
}

function draw() {
  const number = shown[at];
  $('time').value = at;
  $('at').textContent = number !== undefined ? `event ${number} of ${eventCount(film)}` : 'no event passes the filter';
  drawTracks(number);
  drawSource(number);
  if (number !== undefined) drawCaches(number);
  $('events').replaceChildren();
  for (let k = Math.max(0, at - 100); k < Math.min(shown.length, at + 100); ++k) {
    const row = document.createElement('li');
    const button = element('button', `${shown[k]} ${eventText(film, shown[k])}`, styleOf(film, shown[k]));
    button.onclick = () => { at = k; draw(); };
    if (k === at) row.className = 'now';
    if (k === at) button.setAttribute('aria-current', 'true');
    row.append(button);
    $('events').append(row);
    if (k === at) queueMicrotask(() => row.isConnected && show(row));
  }
}

function look(event) {
  for (const id of ['buffer', 'who', 'from', 'to']) $(id).value = '';
  filter();
  at = event;
  draw();
}

function drawRaces() {
  for (const race of film.races) {
    const made = document.createElement('details');
    made.open = race === film.races[0];
    made.append(element('summary', race.title));
    const list = document.createElement('dl');
    for (const line of raceLines(film, race)) {
      const row = document.createElement('div');
      const what = document.createElement('dd');
      what.append(element(line.event >= 0 ? 'button' : 'span', line.text));
      if (line.event >= 0) what.firstChild.onclick = () => look(line.event);
      row.append(element('dt', line.label), what);
      list.append(row);
    }
    made.append(list);
    $('races').append(made);
  }
}

function step(by) { at = Math.min(Math.max(at + by, 0), Math.max(shown.length - 1, 0)); draw(); }
$('title').textContent = film.title + (film.cut ? ' (the first events)' : '');
document.title = film.title;
$('back').onclick = () => step(-1);
$('on').onclick = () => step(1);
$('time').oninput = () => { at = +$('time').value; draw(); };
$('when').onclick = () => { $('story').textContent = staleStory(film, shown[at]); $('page').showModal(); };
for (const id of ['buffer', 'who', 'from', 'to']) $(id).onchange = filter;
addEventListener('keydown', e => {
  if (e.target.tagName === 'INPUT' || $('page').open) return;
  if (e.key === 'ArrowLeft' || e.key === 'ArrowUp') { step(-1); e.preventDefault(); }
  if (e.key === 'ArrowRight' || e.key === 'ArrowDown') { step(1); e.preventDefault(); }
});
filter();
drawRaces();
if (film.races.length > 0) look(Math.max(eventOfRace(film, film.races[0]), 0));
)js";

}  // namespace heddle::cli
