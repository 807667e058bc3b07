// Tries the model provider of the flow builder, and shows what came back for each use.
import { useAction } from '../ui/action.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Problem, Section } from '../ui/page.tsx';
import { checkGateway, usageQuery, type GatewayCheck } from './api.ts';
import { USES } from './provider-fields.tsx';

const STATUS = {
  ok: { tone: 'good', label: 'works' },
  failed: { tone: 'bad', label: 'fails' },
  not_configured: { tone: 'neutral', label: 'not configured' },
} as const;

export function ProviderCheck() {
  const check = useAction(checkGateway, {
    says: 'Model provider checked',
    isShown: true,
    reloads: [usageQuery.queryKey],
  });
  return (
    <Section title="Check">
      <p className="text-ink-2">
        Sends one small question for each use with the saved settings. It takes up to 20 seconds and a few
        tokens.
      </p>
      <Button className="self-start" busy={check.isPending} onClick={() => check.mutate()}>
        Check model provider
      </Button>
      {check.error && <Problem error={check.error} />}
      <div role="status">
        {check.data && (
          <ul aria-label="Model provider" className="flex flex-col gap-2">
            {check.data.checks.map((one) => (
              <CheckedUse key={`${one.provider} ${one.use} ${one.model}`} check={one} />
            ))}
          </ul>
        )}
      </div>
    </Section>
  );
}

function CheckedUse({ check: { provider, use, status, model, ms, message } }: { check: GatewayCheck }) {
  const { tone, label } = STATUS[status];
  return (
    <li>
      {USES[use].label}
      {provider === 'fallback' && ', fallback'}
      {provider === 'flow' && ', single flows'} <Badge tone={tone}>{label}</Badge>{' '}
      {model !== null && (
        <code className="font-mono text-xs break-all text-ink-2">{`${model}, ${ms} ms`}</code>
      )}
      <p className="text-ink-2">{message}</p>
    </li>
  );
}
