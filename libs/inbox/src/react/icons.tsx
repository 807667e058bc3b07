// Icons in the text colour. Their buttons have labels.
const PATHS = {
  bell: 'M8 2a4 4 0 0 0-4 4v2.500L2.750 11.500h10.500L12 8.500V6a4 4 0 0 0-4-4zM6.500 13.500a1.500 1.500 0 0 0 3 0',
  read: 'M3 8.500 6.500 12 13 4.500',
  unread: 'M8 5a3 3 0 1 0 0 6a3 3 0 1 0 0-6z',
  archive: 'M2.500 3h11v3h-11zM3.500 6v7h9V6M6.500 8.500h3',
  unarchive: 'M2.500 3h11v3h-11zM3.500 6v7h9V6M8 12V8M6.250 9.750 8 8l1.750 1.750',
  snooze:
    'M8 3a5.500 5.500 0 1 0 0 11a5.500 5.500 0 1 0 0-11zM8 5.500V8.500l2 1.500M3 2 1.500 3.500M13 2l1.500 1.500',
  settings: 'M2 4.500h6M12 4.500h2M10 3v3M2 11.500h2M8 11.500h6M6 10v3',
  delete: 'M3 4.500h10M6 4.500V3h4v1.500M4.500 4.500l.5 8.500h6l.5-8.500',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="parley-inbox-icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
