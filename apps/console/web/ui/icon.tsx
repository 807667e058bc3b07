// Icons, drawn as strokes on a 16×16 grid. Hidden from screen readers: give the parent a text or an
// `aria-label`.
const PATHS = {
  home: 'M2.5 7.500 8 3l5.500 4.500v6h-4v-3.500h-3v3.500h-4z',
  people:
    'M6 7.500a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400M2 13c0-2.500 1.600-4 4-4s4 1.500 4 4M10.500 3.300a2.200 2.200 0 0 1 0 4.100M11.500 9.200c1.600.4 2.500 1.800 2.500 3.800',
  log: 'M3 4.500h.01M6 4.500h7.500M3 8h.01M6 8h7.500M3 11.500h.01M6 11.500h7.500',
  agents:
    'M5 5.500h6a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-3a2 2 0 0 1 2-2M8 5.500V3M6 8.500v1M10 8.500v1M1.500 8.500v1M14.500 8.500v1',
  flows: 'M2.5 3.500h4v3h-4zM9.5 9.500h4v3h-4zM6.5 5h3a2 2 0 0 1 2 2v2.5',
  conversations: 'M2.5 3.500h11v7h-6l-3 2.500v-2.500h-2z',
  analytics: 'M2.5 13.500v-11M2.5 13.500h11M5.5 11V8M8.5 11V5M11.5 11V6.5',
  webhooks:
    'M5.5 9.500a3 3 0 1 1 2-5.200M7.5 4.500l2.5 5M10.5 9.500a2.5 2.5 0 1 1-2.300 3.500M5.5 9.500l-1.5 2.500M8 12H4.5',
  deliveries: 'M2 8h9M8 4.5 11.5 8 8 11.500M14 3v10',
  notifications: 'M4 10.500V7a4 4 0 0 1 8 0v3.500l1 1.500H3zM6.5 13.500h3',
  inbox: 'M2.5 9 4.5 3.500h7l2 5.500v3.500h-11zM2.5 9H6l1 1.500h2L10 9h3.5',
  keys: 'M10.5 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M8.7 7.3 3 13M4.8 11.2l1.6 1.6',
  models:
    'M8 2.500 9.400 6.600 13.500 8 9.400 9.400 8 13.500 6.600 9.400 2.500 8 6.600 6.600zM12.500 2v2.500M11.250 3.250h2.500',
  organization: 'M2.5 13.500h11M4 13.500v-10h8v10M6.5 6h1M8.5 6h1M6.5 8.500h1M8.5 8.500h1M7 13.500V11h2v2.5',
  search: 'M7 11.500a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9M10.5 10.500l3 3',
  sun: 'M8 10.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M8 1.500v1.500M8 13v1.500M1.5 8H3M13 8h1.500M3.400 3.400l1 1M11.600 11.600l1 1M3.400 12.600l1-1M11.600 4.400l1-1',
  moon: 'M13 9.500A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.500z',
  menu: 'M2.5 4.500h11M2.5 8h11M2.5 11.500h11',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.500v-3h8v8h-3M2.5 5.500h8v8h-8z',
  check: 'M3 8.5 6.5 12 13 4.5',
  plus: 'M8 3v10M3 8h10',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  left: 'M10 3.5 5.5 8 10 12.5',
  right: 'M6 3.5 10.5 8 6 12.5',
  up: 'M3.5 10.5 8 6 12.5 10.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  out: 'M6 3.500H2.500v9H6M6.5 8h7M11 5l3 3-3 3',
  warning: 'M8 2.5 14 13H2zM8 6.500v3M8 11.300v.01',
  refresh: 'M13 4v3h-3M13 7a5 5 0 1 0 .3 2.5',
  download: 'M8 2.500v7.500M4.500 6.500 8 10l3.500-3.500M2.500 13.500h11',
  microphone:
    'M8 2.500a1.8 1.8 0 0 1 1.800 1.800v3.200a1.8 1.8 0 0 1-3.600 0V4.300A1.8 1.8 0 0 1 8 2.500M4 7.500a4 4 0 0 0 8 0M8 11.500v2.500M6 14h4',
  external: 'M9.5 2.500h4v4M13.5 2.5 7.5 8.500M11.5 9v4.500h-9v-9H7',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({
  name,
  size = 16,
  className = '',
}: {
  name: IconName;
  size?: number;
  className?: string;
}) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`shrink-0 ${className}`}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
