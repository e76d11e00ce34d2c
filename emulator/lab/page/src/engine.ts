/** The engine in a Worker of its own, so that the page answers whatever the engine is doing. */
import type {Answer, Policy, Totals} from './answer';

type Call = 'answer' | 'beginRuns' | 'moreRuns' | 'desk' | 'policies';

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (reason: Error) => void;
}

export class EngineStopped extends Error {}

export class Engine {
  private worker: Worker | null = null;
  private next = 0;
  private readonly waiting = new Map<number, Waiting>();

  answer(request: object): Promise<Answer> {
    return this.ask('answer', request) as Promise<Answer>;
  }
  beginRuns(request: object): Promise<Totals> {
    return this.ask('beginRuns', request) as Promise<Totals>;
  }
  moreRuns(count: number): Promise<Totals> {
    return this.ask('moreRuns', count) as Promise<Totals>;
  }
  policies(): Promise<Policy[]> {
    return this.ask('policies', null) as Promise<Policy[]>;
  }
  /** A request of emulator/lab/PROTOCOL.md. */
  desk<T>(request: object): Promise<T> {
    return this.ask('desk', request) as Promise<T>;
  }

  /** Gives up what is being worked on: its caller gets an EngineStopped. The next request starts afresh. */
  stop(message = 'It was stopped.') {
    this.worker?.terminate();
    this.worker = null;
    for (const {reject} of this.waiting.values()) reject(new EngineStopped(message));
    this.waiting.clear();
  }

  /** Loads the engine, so that the first request need not wait for it. */
  begin() {
    this.worker ??= this.start();
  }

  private start(): Worker {
    const worker = new Worker(new URL('./engine_worker.ts', import.meta.url), {name: 'heddle engine'});
    worker.onmessage = ({data}) => {
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.error === undefined) waiting?.resolve(data.value);
      else waiting?.reject(new Error(data.error));
      if (data.fatal) this.stop('The engine was restarted after an error.');
    };
    worker.onerror = event => {
      event.preventDefault();
      this.stop(`The engine cannot start: ${event.message || 'its files are missing beside this page'}.`);
    };
    // The worker of a bundle lies in another folder than the engine.
    worker.postMessage({base: new URL('./', document.baseURI).href});
    return worker;
  }

  private ask(call: Call, request: unknown): Promise<unknown> {
    this.begin();
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {resolve, reject});
      this.worker!.postMessage({id, call, request});
    });
  }
}
