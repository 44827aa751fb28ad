import type { AnchorHTMLAttributes, MouseEvent, ReactNode } from 'react';
import { useApp } from '../state/app-context.ts';
import type { Place } from '../state/place.ts';

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  /** What differs from the place the reader is at. */
  readonly to: Partial<Place>;
  readonly children: ReactNode;
}

/** A link inside the dashboard. Opening it in a new tab works as with any link. */
export function Link({ to, children, ...rest }: LinkProps) {
  const { navigation } = useApp();
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigation.push(to);
  };
  return (
    <a {...rest} href={navigation.href({ ...navigation.place.get(), ...to })} onClick={onClick}>
      {children}
    </a>
  );
}
