// The state of a conversation as a badge.
import { Badge, type Tone } from '../ui/badge.tsx';
import type { Conversation } from './api.ts';

const TONES: Readonly<Record<Conversation['status'], Tone>> = {
  initiated: 'accent',
  in_progress: 'accent',
  processing: 'accent',
  completed: 'good',
  failed: 'bad',
  no_answer: 'warn',
  busy: 'warn',
  canceled: 'neutral',
};

export const humanize = (name: string): string => name.replaceAll('_', ' ');

export function Status({ of }: { of: Conversation }) {
  return (
    <Badge tone={TONES[of.status]} {...(of.error ? { title: of.error.message } : {})}>
      {humanize(of.status)}
    </Badge>
  );
}
