/** Runs of a test by policies, in an engine of their own, and how they are set. */
import {useEffect, useRef, useState} from 'preact/hooks';
import type {Answer, Totals} from './answer';
import {EngineStopped, type Engine} from './engine';
import {runLive} from './runs';
import {keep, kept} from './store';

export function useRuns(runner: Engine) {
  const [chosen, setChosen] = useState<string[]>(() => kept('policies', ['sequential', 'random']));
  const [runs, setRuns] = useState(() => kept('runs', 10000));
  const [seed, setSeed] = useState(() => kept('seed', 1));
  const [totals, setTotals] = useState<Record<string, Totals>>({});
  const [running, setRunning] = useState(false);
  const [runProblem, setRunProblem] = useState('');
  useEffect(() => {
    keep('policies', chosen);
    keep('runs', runs);
    keep('seed', seed);
  }, [chosen, runs, seed]);

  const stop = () => {
    runner.stop();
    setRunning(false);
  };
  const forget = () => {
    stop();
    setTotals({});
  };
  const start = async (source: string, ofAnswer: Answer) => {
    runner.stop();
    setTotals({});
    setRunProblem('');
    if (ofAnswer.error || !ofAnswer.outcomes) return;
    setRunning(true);
    try {
      await runLive(runner, source, chosen, runs, seed, (policy, all) => setTotals(before => ({...before, [policy]: all})));
      setRunning(false);
    } catch (error) {
      if (error instanceof EngineStopped) return;
      setRunProblem((error as Error).message.replace(/^:\d+:\d+: /, ''));
      setRunning(false);
    }
  };
  // What an answer that comes later starts has the settings of then.
  const latest = useRef(start);
  latest.current = start;
  return {chosen, setChosen, runs, setRuns, seed, setSeed, totals, running, runProblem, stop, forget,
    start: (source: string, ofAnswer: Answer) => void latest.current(source, ofAnswer)};
}
