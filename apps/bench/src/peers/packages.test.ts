import { expect, test } from '@jest/globals';
import { explainInstallFailure } from './packages.ts';

test.each([
  [
    'npm error code ENOTFOUND\nnpm error network request to somewhere failed',
    'Node-RED is not measured: npm cannot reach its registry (ENOTFOUND). Check the network and `npm config get registry`, then repeat the command.',
  ],
  [
    'npm error code ETARGET\nnpm error notarget No matching version found for node-red@0.0.0.',
    'Node-RED is not measured: npm did not install it. npm error notarget No matching version found for node-red@0.0.0.',
  ],
  ['', 'Node-RED is not measured: npm did not install it. It printed nothing.'],
])('a failed installation is explained in one line: %j', (printed, expected) => {
  expect(explainInstallFailure('Node-RED', printed)).toBe(expected);
});
