// How a rendered template looks to the person who receives it. Clients differ; these show the
// texts, line breaks and order that Parley sends, at the sizes that are usual.
import { useCallback, useState, type ReactNode } from 'react';
import { CodeBlock } from '../../ui/copy.tsx';
import { Segments } from '../../ui/segments.tsx';
import { channelLabel } from '../channels.ts';
import type { TemplatePreview } from './api.ts';
import { HtmlView } from './html-view.tsx';

type Texts = TemplatePreview['channels'][string];

const LOOKS = [
  { key: 'mail', label: 'E-mail', channel: 'email', Look: Mail },
  { key: 'push', label: 'Push', channel: 'web_push', Look: LockScreen },
  { key: 'slack', label: 'Slack', channel: 'chat', Look: Slack },
  { key: 'teams', label: 'Teams', channel: 'chat', Look: Teams },
  { key: 'inbox', label: 'Inbox', channel: 'in_app', Look: Card },
] as const;

export interface LookProps extends Texts {
  readonly language: string;
}

interface LooksProps {
  readonly preview: TemplatePreview;
  /** The channel that is edited: its look is shown first. */
  readonly channel: string | undefined;
}

export function Looks({ preview: { locale, channels }, channel }: LooksProps) {
  const [chosen, setChosen] = useState<{ readonly for: typeof channel; readonly key: string }>();
  const shown = LOOKS.filter((look) => channels[look.channel] !== undefined);
  const plain = Object.keys(channels).filter((name) => LOOKS.every((look) => look.channel !== name));
  const options = [...shown, ...plain.map((name) => ({ key: name, label: channelLabel(name) }))];
  // Editing another channel shows its look; until then the chosen one stays.
  const wanted = chosen?.for === channel ? chosen?.key : shown.find((one) => one.channel === channel)?.key;
  const current = options.find(({ key }) => key === wanted) ?? options[0];
  if (current === undefined) return null;
  const look = shown.find(({ key }) => key === current.key);
  const texts = channels[look?.channel ?? current.key]!;
  const Look = look?.Look ?? Card;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Segments
        label="Preview as"
        options={options}
        value={current.key}
        onChange={(key) => setChosen({ for: channel, key })}
      />
      <Look {...texts} language={locale} />
    </div>
  );
}

const SCREENS = [
  { key: 'desktop', label: 'Desktop' },
  { key: 'phone', label: 'Phone' },
  { key: 'dark', label: 'Dark' },
] as const;

const DESKTOP_PX = 640;

function Mail({ subject, message, html, language }: LookProps) {
  const [screen, setScreen] = useState<(typeof SCREENS)[number]['key']>('desktop');
  const [room, setRoom] = useState(DESKTOP_PX);
  const measure = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setRoom(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const isPhone = screen === 'phone';
  const isDark = screen === 'dark';
  return (
    <>
      <Segments label="Screen" options={SCREENS} value={screen} onChange={setScreen} />
      <div ref={measure}>
        <div
          data-theme={isDark ? 'dark' : 'light'}
          className={`overflow-hidden border border-line-strong/60 bg-surface text-ink shadow-md ${isPhone ? 'mx-auto w-80 max-w-full rounded-3xl border-4 p-1.5' : 'rounded-lg'}`}
        >
          <div className="flex items-center gap-2.5 border-b border-line px-4 py-3">
            <Avatar />
            <div className="min-w-0 flex-1">
              <p dir="auto" className="font-semibold break-words">
                {subject}
              </p>
              <p className="text-xs text-ink-2">to the recipient</p>
            </div>
          </div>
          {html === undefined ? (
            <p dir="auto" className="p-4 break-words whitespace-pre-wrap">
              {message}
            </p>
          ) : (
            <HtmlView
              key={screen}
              html={html}
              language={language}
              dark={isDark}
              zoom={isPhone ? 1 : Math.min(1, room / DESKTOP_PX)}
              title="E-mail as HTML"
            />
          )}
        </div>
      </div>
      {isDark && (
        <p className="text-xs text-ink-2">
          As in a client that follows the styles of the mail. Some clients invert colours instead.
        </p>
      )}
      {html !== undefined && (
        <>
          <details>
            <summary className="w-fit text-xs text-ink-2">Text of the e-mail</summary>
            <p dir="auto" className="pt-1 break-words whitespace-pre-wrap text-ink-2">
              {message}
            </p>
          </details>
          <details>
            <summary className="w-fit text-xs text-ink-2">Show HTML source</summary>
            <CodeBlock text={html} label="the HTML of E-mail" />
          </details>
        </>
      )}
    </>
  );
}

const Avatar = () => (
  <span
    aria-hidden="true"
    className="flex size-8 shrink-0 items-center justify-center rounded-md bg-accent-soft"
  >
    <img src="/mark.svg" alt="" width={18} height={18} />
  </span>
);

function LockScreen({ subject, message }: LookProps) {
  return (
    <div className="lock-screen mx-auto flex min-h-96 w-80 max-w-full flex-col gap-6 rounded-3xl border-4 border-line-strong/60 px-3 py-8">
      <p aria-hidden="true" className="text-center text-5xl leading-none font-light text-white">
        9:41
      </p>
      <div className="flex gap-2.5 rounded-2xl bg-white/95 p-3 text-[#1b1c1a] shadow-lg">
        <Avatar />
        <div className="min-w-0 flex-1">
          <div className="flex items-baseline gap-2">
            <p dir="auto" className="min-w-0 flex-1 truncate font-semibold">
              {subject}
            </p>
            <span className="text-xs text-[#595b55]">now</span>
          </div>
          <p dir="auto" className="line-clamp-4 break-words whitespace-pre-wrap">
            {message}
          </p>
        </div>
      </div>
    </div>
  );
}

function Post({ badge, children }: { readonly badge: string; readonly children: ReactNode }) {
  return (
    <div className="flex gap-2.5 rounded-lg border border-line bg-surface p-4 shadow-md">
      <Avatar />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-1.5">
          <span className="font-semibold">Your app</span>
          <span className="rounded bg-surface-3 px-1 text-xs text-ink-2">{badge}</span>
          <span className="text-xs text-ink-2">9:41</span>
        </p>
        {children}
      </div>
    </div>
  );
}

const Words = ({ text, className = '' }: { readonly text: string; readonly className?: string }) => (
  <p dir="auto" className={`break-words whitespace-pre-wrap ${className}`}>
    {text}
  </p>
);

/** The chat channel leaves out a subject that only repeats the message. */
const titleOf = ({ subject, message }: Texts) =>
  message.startsWith(subject.replace(/…$/, '')) ? undefined : subject;

function Slack(texts: LookProps) {
  const title = titleOf(texts);
  return (
    <Post badge="APP">
      {title !== undefined && <Words text={title} className="font-bold" />}
      <Words text={texts.message} />
    </Post>
  );
}

function Teams(texts: LookProps) {
  const title = titleOf(texts);
  return (
    <Post badge="Workflows">
      <div className="mt-1.5 flex flex-col gap-2 rounded-md border border-line bg-surface-2 p-3">
        {title !== undefined && <Words text={title} className="text-base font-bold" />}
        <Words text={texts.message} />
      </div>
    </Post>
  );
}

function Card({ subject, message }: LookProps) {
  return (
    <div className="rounded-lg border border-line bg-surface p-4 shadow-md">
      {subject !== message && <Words text={subject} className="font-semibold" />}
      <Words text={message} className="text-ink-2" />
    </div>
  );
}
