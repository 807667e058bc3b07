// Tries the model provider of the flow builder, and shows what came back for each use.
import { useMutation } from '@tanstack/react-query';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/page.tsx';
import { checkGateway, type GatewayCheck } from './api.ts';

const STATUS = {
  ok: { tone: 'good', label: 'works' },
  failed: { tone: 'bad', label: 'fails' },
  not_configured: { tone: 'neutral', label: 'not configured' },
} as const;

export function ProviderCheck() {
  const check = useMutation({ mutationFn: checkGateway });
  return (
    <div className="flex flex-col gap-2">
      <Button className="self-start" busy={check.isPending} onClick={() => check.mutate()}>
        Check model provider
      </Button>
      {check.error && <Problem error={check.error} />}
      {check.data && (
        <ul aria-label="Model provider" className="flex flex-col gap-2">
          {check.data.checks.map((one) => (
            <CheckedUse key={`${one.provider} ${one.use}`} check={one} />
          ))}
        </ul>
      )}
    </div>
  );
}

function CheckedUse({ check: { provider, use, status, model, ms, message } }: { check: GatewayCheck }) {
  const { tone, label } = STATUS[status];
  return (
    <li>
      <span className="capitalize">{provider === 'fallback' ? `fallback ${use}` : use}</span>{' '}
      <Badge tone={tone}>{label}</Badge>{' '}
      {model !== null && <code className="font-mono text-xs text-ink-2">{`${model}, ${ms} ms`}</code>}
      <p className="text-ink-2">{message}</p>
    </li>
  );
}
