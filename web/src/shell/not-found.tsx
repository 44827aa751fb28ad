import { useText } from '../state/app-context.ts';
import { Link } from './link.tsx';

export function NotFound({ title, detail }: { title: string; detail: string }) {
  const t = useText();
  return (
    <section className="panel">
      <h1>{title}</h1>
      <p>
        <code>{detail}</code>
      </p>
      <p>
        <Link to={{ route: { view: 'overview' } }}>{t('web.notfound.home')}</Link>
      </p>
    </section>
  );
}
