// Icons of node types. Types without an icon get one by their role in the engine's table.
import { typeSpec } from '../tables.ts';

const PATHS: Readonly<Record<string, string>> = {
  message: 'M2.5 3.5h11v7h-6l-3 2.500v-2.500h-2z',
  collect:
    'M2.5 3.5h11v7h-6l-3 2.500v-2.500h-2zM6.600 5.700c.2-1.100 2.700-1.100 2.700.4 0 .9-1.300 1-1.300 1.800M8 9.200v.01',
  branch: 'M8 2.500v4M8 6.5 4 10v3M8 6.5l4 3.500v3',
  tool: 'M6 3.500 2.5 8 6 12.500M10 3.5 13.5 8 10 12.500',
  autonomous:
    'M8 2v3M8 11v3M2 8h3M11 8h3M4 4l1.500 1.500M10.500 10.500 12 12M12 4l-1.500 1.500M5.500 10.500 4 12',
  handoff:
    'M6 7a2.200 2.200 0 1 0 0-4.400A2.200 2.200 0 0 0 6 7M2 13c0-2.500 1.600-4 4-4M9 11h5M12 9l2 2-2 2',
  end: 'M4 4h8v8H4z',
  global:
    'M8 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5M3.500 13.500c0-2.500 1.800-4 4.500-4s4.500 1.500 4.500 4',
  trigger: 'M9 2 4 9h3.500L7 14l5-7H8.500z',
  webhook: 'M2.5 8h9M8 4.5 11.500 8 8 11.500M14 3v10',
  qa: 'M3 8.5 6.5 12 13 4.500',
};
const STEP = 'M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10';
const CONFIGURATION = 'M3 4.500h10M3 8h10M3 11.500h6';

export function TypeIcon({ type, size = 14 }: { readonly type: string | null; readonly size?: number }) {
  const spec = typeSpec(type);
  const path =
    (type === null ? undefined : PATHS[type]) ??
    (spec?.declarative ? CONFIGURATION : spec?.terminal ? PATHS['end'] : STEP);
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      className="shrink-0"
    >
      <path d={path} />
    </svg>
  );
}
