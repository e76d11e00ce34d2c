/** Where one is on the page, and its address. */
export const kTabs = [['run', 'Run'], ['why', 'Why'], ['play', 'Play'], ['challenges', 'Challenges'], ['course', 'Course'],
  ['kernels', 'Kernels']] as const;
export type Tab = typeof kTabs[number][0];

export interface Place {
  tab: Tab;
  /** Lesson and challenge count from 0; addresses count from 1. */
  lesson: number;
  challenge: number;
}

const kNames: Partial<Record<Tab, string>> = {challenges: 'challenge'};
const kNumbered: Partial<Record<Tab, 'lesson' | 'challenge'>> = {course: 'lesson', challenges: 'challenge'};

/** `#play`, `#course/3`, `#challenge/12`. */
export function addressOf(place: Place): string {
  const number = kNumbered[place.tab];
  return `#${kNames[place.tab] ?? place.tab}${number ? `/${place[number] + 1}` : ''}`;
}

/** The place that an address names; nothing for an address that names none. */
export function placeOf(hash: string): Partial<Place> | null {
  const match = /^#(\w+)(?:\/(\d+))?$/.exec(hash);
  const tab = match && kTabs.find(([key]) => key === match[1] || kNames[key] === match[1])?.[0];
  if (!tab) return null;
  const number = kNumbered[tab];
  return number && match[2] ? {tab, [number]: Math.max(Number(match[2]) - 1, 0)} : {tab};
}
