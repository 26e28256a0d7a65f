// Limits property tests during mutation testing, because shrinking a counterexample takes minutes and nobody reads it.
import fc from 'fast-check';

fc.configureGlobal({ endOnFailure: true });
// Long enough for one run on a busy machine: fast-check fails a property that it interrupts before its first run ends.
fc.installGlobalPlugin(fc.interruptAfterTimeLimit(10_000));
