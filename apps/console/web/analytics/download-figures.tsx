// Downloads the figures of the page as CSV.
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { toMessage } from '../ui/page.tsx';
import { saveFile } from '../ui/save.ts';
import { readFigureFile, type AnalyticsQuery } from './api.ts';

export function DownloadFigures({ question }: { question: AnalyticsQuery }) {
  const get = useAction((kind: 'usage' | 'performance') => readFigureFile(kind, question), {
    says: 'Figures downloaded',
    then: (file, kind) => saveFile(file, `${kind}.csv`),
  });
  return (
    <>
      {get.error && (
        <span role="alert" className="text-xs text-bad">
          {toMessage(get.error)}
        </span>
      )}
      {(['usage', 'performance'] as const).map((kind) => (
        <Button
          key={kind}
          icon="download"
          busy={get.isPending && get.variables === kind}
          onClick={() => get.mutate(kind)}
        >
          {kind === 'usage' ? 'Usage as CSV' : 'Performance as CSV'}
        </Button>
      ))}
    </>
  );
}
