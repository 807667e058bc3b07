// Manifests against the code that they run, as far as the files say it by themselves. What needs
// them rendered, and the schemas of Kubernetes, is in test/cluster.
import { describe, expect, test } from '@jest/globals';
import { BlockList } from 'node:net';
import { checkAddress, createAddressPolicy } from '@parley/outbound';
import { listQueues } from '@parley/jobs';
import { SERVICES, STOP_DEADLINE_MS } from '@parley/server/runtime';
import { parse, parseAllDocuments } from 'yaml';
import { queuesWatchedBy, readText } from './facts.ts';

/** The resource of this name in a file of the skeleton that all services share. */
function named<Spec>(file: string, kind: string, name: string): Spec {
  const all = parseAllDocuments(readText(`k8s/base/service/${file}`)).map(
    (document) => document.toJS() as { kind: string; metadata: { name: string }; spec: Spec },
  );
  return all.find((one) => one.kind === kind && one.metadata.name === name)!.spec;
}

describe.each(SERVICES)('%s', (service) => {
  test('its workers scale on the age of exactly the queues that they work off', () => {
    const { patches } = parse(readText(`k8s/base/${service}/kustomization.yaml`)) as {
      patches: { target: { kind: string }; patch: string }[];
    };
    const { patch } = patches.find(({ target }) => target.kind === 'ScaledObject')!;
    const [{ value }] = parse(patch) as [{ value: string }];
    expect(queuesWatchedBy(value)).toEqual(listQueues(service).sort());
  });
});

test('the documented upgrade deletes the migrate Job of every service', () => {
  const [job = ''] = readText('k8s/base/service/migrate.yaml').split('\nspec:');
  const { metadata } = parse(job) as { metadata: { labels: Record<string, string> } };
  for (const page of ['k8s/README.md', 'k8s/OPERATIONS.md']) {
    const [, selector = ''] = /kubectl delete jobs -A -l ([^\s`]+)/.exec(readText(page)) ?? [];
    const wanted = selector.split(',').map((pair) => pair.split('='));
    expect(wanted.map(([label]) => label)).toContain('app.kubernetes.io/component');
    for (const service of SERVICES) {
      const { labels } = parse(readText(`k8s/base/${service}/kustomization.yaml`)) as {
        labels: [{ pairs: Record<string, string> }];
      };
      expect({ ...labels[0].pairs, ...metadata.labels }).toMatchObject(Object.fromEntries(wanted) as object);
    }
  }
});

test('a pod is given the time that it takes to stop', () => {
  interface Deployment {
    template: {
      spec: {
        terminationGracePeriodSeconds: number;
        containers: [{ lifecycle?: { preStop: { exec: { command: string[] } } } }];
      };
    };
  }
  const http = named<Deployment>('http.yaml', 'Deployment', 'http').template.spec;
  const worker = named<Deployment>('worker.yaml', 'Deployment', 'worker').template.spec;
  const { command } = http.containers[0].lifecycle!.preStop.exec;
  const preStopMs = Number(/setTimeout\(\(\) => \{\}, (\d+)\)/.exec(command.join(' '))![1]);
  expect(http.terminationGracePeriodSeconds * 1000).toBeGreaterThan(preStopMs + STOP_DEADLINE_MS);
  expect(worker.terminationGracePeriodSeconds * 1000).toBeGreaterThan(STOP_DEADLINE_MS);
  expect(readText('docker/Dockerfile')).toContain(`ENTRYPOINT ["${command[0]}"]`);
});

test('what the way outside leaves out is what the guard refuses as well, and the notorious addresses are among it', () => {
  const guard = createAddressPolicy();
  const [{ to }] = named<{ egress: [{ to: { ipBlock: { cidr: string; except: string[] } }[] }] }>(
    'network.yaml',
    'NetworkPolicy',
    'to-outside',
  ).egress;
  const open = new BlockList();
  const shut = new BlockList();
  for (const { ipBlock } of to) {
    const family = ipBlock.cidr.includes(':') ? 'ipv6' : 'ipv4';
    const add = (list: BlockList, block: string) => {
      const [network, bits] = block.split('/');
      list.addSubnet(network!, Number(bits), family);
    };
    add(open, ipBlock.cidr);
    for (const block of ipBlock.except) {
      add(shut, block);
      expect([block, checkAddress(block.split('/')[0]!, guard).ok]).toEqual([block, false]);
    }
  }
  const passes = (ip: string) => {
    const family = ip.includes(':') ? 'ipv6' : 'ipv4';
    return open.check(ip, family) && !shut.check(ip, family);
  };
  const inside = [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.255.255',
    '192.168.1.1',
    '100.100.100.200',
    '169.254.169.254',
    '168.63.129.16',
    '192.0.0.192',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    'fd00:ec2::254',
    'fe80::1',
    '2002:a00:1::',
    '2001:0:1::',
    '64:ff9b::a00:1',
  ];
  expect(inside.filter(passes)).toEqual([]);
  const outside = ['1.1.1.1', '93.184.215.14', '172.32.0.1', '2606:4700::1111'];
  expect(outside.filter((ip) => !passes(ip) || !checkAddress(ip, guard).ok)).toEqual([]);
});
