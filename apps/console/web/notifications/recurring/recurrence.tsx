// The rule and the state of a recurring send.
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import type { Sent } from '../api.ts';
import { RECURRING_TONES } from '../channels.ts';

export function Recurrence({ of }: { of: NonNullable<Sent['recurring']> }) {
  return (
    <Section title="Recurrence">
      <Facts
        rows={[
          ['Rule', of.rrule],
          ['Time zone', of.timezone],
          [
            'State',
            <Badge key="state" tone={RECURRING_TONES[of.status]}>
              {of.status}
            </Badge>,
          ],
          ['Next occurrence', of.next_at !== null && <Time at={of.next_at} absolute />],
          ['Occurrences', of.occurrences.toLocaleString('en')],
          ['Last refusal', of.last_error],
        ]}
      />
    </Section>
  );
}
