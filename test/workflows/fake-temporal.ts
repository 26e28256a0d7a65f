type Handler = (...args: unknown[]) => unknown;

// Stops a workflow that continues as new without progress.
const MOST_EXECUTIONS = 100;

class ContinueAsNew extends Error {
  override readonly name = 'ContinueAsNew';
  constructor(readonly args: unknown[]) {
    super('continues as new');
  }
}

/** Stands in for the Temporal runtime, without server or waiting, for one workflow at a time. */
class FakeTemporal {
  /** History length of this execution, and how much each activity adds. */
  historyLength = 0;
  eventsPerActivity = 10;
  /** Seconds of every timer, in order. */
  timers: number[] = [];
  /** Workflows that were signalled, in order. */
  signalled: string[] = [];
  /** Workflow ids of the children that were started, in order. */
  started: string[] = [];
  /** Arguments of each execution after the first, through JSON. */
  carried: unknown[][] = [];
  /** What the UI shows under "Current details", in order. */
  details: string[] = [];
  /** Search attributes by name. */
  attributes: Record<string, unknown> = {};
  /** Overrides of the workflow's info. */
  info: object = {};
  /** Called for each signal to another workflow; throws if that workflow has ended. */
  onSignal: (workflowId: string) => void = () => undefined;
  handlers = new Map<string, Handler>();
  #waiting: { holds: () => boolean; resolve: (held: boolean) => void }[] = [];

  /** Runs a workflow to its end over all executions. */
  async run<T>(workflow: (...args: never[]) => Promise<T>, args: unknown[]): Promise<T> {
    for (let given = args; ;) {
      this.handlers.clear();
      this.historyLength = 0;
      this.#waiting = [];
      try {
        return await workflow(...(given as never[]));
      } catch (error) {
        if (!(error instanceof ContinueAsNew)) throw error;
        given = JSON.parse(JSON.stringify(error.args)) as unknown[];
        this.carried.push(given);
        if (this.carried.length > MOST_EXECUTIONS) throw new Error('too many executions', { cause: error });
      }
    }
  }

  /** Sends the workflow a signal or an update. */
  send(signal: string, ...args: unknown[]): void {
    this.handlers.get(signal)?.(...args);
    this.settle();
  }

  /** Resolves the conditions that are true now. */
  settle(): void {
    const holding = this.#waiting.filter(({ holds }) => holds());
    this.#waiting = this.#waiting.filter((waiter) => !holding.includes(waiter));
    for (const { resolve } of holding) resolve(true);
  }

  /** Exports that workflows import from `@temporalio/workflow`. */
  get exports(): object {
    return {
      // A condition with a timeout times out only if a test says so.
      condition: (holds: () => boolean) =>
        holds() ? Promise.resolve(true) : new Promise((resolve) => this.#waiting.push({ holds, resolve })),
      sleep: (ms: number) => {
        this.timers.push(ms / 1_000);
        return Promise.resolve();
      },
      patched: () => true,
      continueAsNew: (...args: unknown[]) => Promise.reject(new ContinueAsNew(args)),
      workflowInfo: () => ({
        workflowId: 'w',
        firstExecutionRunId: 'r',
        continuedFromExecutionRunId: this.carried.length > 0 ? 'before' : undefined,
        historyLength: this.historyLength,
        continueAsNewSuggested: false,
        typedSearchAttributes: { get: () => undefined },
        ...this.info,
      }),
      setHandler: ({ name }: { name: string }, handler: Handler) => this.handlers.set(name, handler),
      startChild: (_type: string, { workflowId }: { workflowId: string }) => {
        this.started.push(workflowId);
        return Promise.resolve();
      },
      setCurrentDetails: (text: string) => this.details.push(text),
      upsertSearchAttributes: (pairs: { key: { name: string }; value: unknown }[]) => {
        for (const { key, value } of pairs) this.attributes[key.name] = value;
      },
      getExternalWorkflowHandle: (workflowId: string) => ({
        signal: () => {
          this.signalled.push(workflowId);
          return Promise.resolve().then(() => this.onSignal(workflowId));
        },
      }),
      CancellationScope: class {
        static nonCancellable<T>(work: () => Promise<T>): Promise<T> {
          return work();
        }
        run<T>(work: () => Promise<T>): Promise<T> {
          return work();
        }
        cancel(): void {
          return undefined;
        }
      },
    };
  }

  /** Activities as workflows call them: directly, or with options. */
  activities(work: (name: string, args: unknown[]) => unknown): object {
    return new Proxy(
      {},
      {
        get: (_, name) => {
          const call = async (...args: unknown[]): Promise<unknown> => {
            await Promise.resolve();
            this.historyLength += this.eventsPerActivity;
            const result = await work(String(name), JSON.parse(JSON.stringify(args)) as unknown[]);
            this.settle();
            return result;
          };
          return Object.assign(call, { executeWithOptions: (_options: object, args: unknown[]) => call(...args) });
        },
      },
    );
  }
}

/** The runtime of the workflows in this test file. */
export const temporal = new FakeTemporal();

/** Resets the runtime for the next test. */
export function resetTemporal(eventsPerActivity = 10): void {
  Object.assign(temporal, new FakeTemporal(), { eventsPerActivity });
}
