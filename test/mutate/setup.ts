// Limits property tests while mutants are tried: shrinking a counterexample takes minutes, and nobody reads it.
import fc from 'fast-check';

fc.configureGlobal({ endOnFailure: true });
fc.installGlobalPlugin(fc.interruptAfterTimeLimit(3_000));
