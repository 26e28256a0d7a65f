// Limits property tests during mutation testing, because shrinking a counterexample takes minutes and nobody reads it.
import fc from 'fast-check';

fc.configureGlobal({ endOnFailure: true });
fc.installGlobalPlugin(fc.interruptAfterTimeLimit(3_000));
