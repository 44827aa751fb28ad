import { DashboardLinkPlacement } from '@grafana/grafana-foundation-sdk/dashboard';
import { LANGUAGES } from '../../src/model/i18n/text.ts';
import { FLEET } from './boards/fleet.ts';
import { GPU } from './boards/gpu.ts';
import { HEALTH } from './boards/health.ts';
import { NODE } from './boards/node.ts';
import { OWNERS } from './boards/owners.ts';
import { renderBoard } from './render-board.ts';

const BOARDS = [FLEET, NODE, GPU, OWNERS, HEALTH];

/** Where provisioning finds the boards. */
const DASHBOARD_FOLDER = 'deploy/grafana/dashboards';

/** The boards in every language, as Grafana imports them, with their paths from the root of the project. */
export const GRAFANA_FILES: Readonly<Record<string, () => string>> = Object.fromEntries(
  BOARDS.flatMap((board) =>
    LANGUAGES.map((lang) => {
      const file = lang === 'en' ? `${board.name}.json` : `${board.name}.${lang}.json`;
      return [`${DASHBOARD_FOLDER}/${file}`, () => `${JSON.stringify(renderBoard(board, lang), visible, 2)}\n`];
    }),
  ),
);

/** Links belong in the bar above the panels: the menu that they are put into by default hides them. */
function visible(key: string, value: unknown): unknown {
  return key === 'placement' && value === DashboardLinkPlacement.InControlsMenu ? undefined : value;
}
