/** The process of one sample: a spec as its argument, the sample as JSON on standard output. A process of its own, so that no sample sees another's heap or code. */
import process from 'node:process';
import { sampleProbe } from './probe.ts';
import { sampleResume } from './resume-sample.ts';
import type { Sample, SampleSpec } from './sample-spec.ts';
import { sampleSeen } from './seen-sample.ts';
import { sampleSuspended } from './suspended-sample.ts';
import { sampleTurns } from './turns-sample.ts';

function take(spec: SampleSpec): Promise<Sample> {
  switch (spec.kind) {
    case 'turns':
      return sampleTurns(spec);
    case 'probe':
      return sampleProbe(spec);
    case 'resume':
      return sampleResume(spec);
    case 'suspended':
      return sampleSuspended(spec);
    case 'seen':
      return sampleSeen(spec);
  }
}

// The parent is `take-sample.ts`, which wrote this argument.
const spec = JSON.parse(process.argv[2] ?? '') as SampleSpec;
process.stdout.write(`${JSON.stringify(await take(spec))}\n`);
