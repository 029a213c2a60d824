'use strict';
// Every value from the server goes into the page as text, never as HTML.
const STALE_MILLIS = 5000;
const byId = id => document.getElementById(id);
let sequence = 0;
let changed = Date.now();

const number = value => typeof value === 'number'
  ? value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 }) : '–';
const seconds = value => typeof value === 'number' ? number(value) + ' s' : '–';

function row(cells) {
  const line = document.createElement('tr');
  for (const text of cells) {
    line.appendChild(document.createElement('td')).textContent = text;
  }
  return line;
}

function drawCourse(points) {
  const top = Math.max(1, ...points.filter(point => point !== null));
  const lines = [];
  let current = [];
  points.forEach((point, i) => {
    if (point === null) {
      lines.push(current);
      current = [];
    } else {
      current.push(`${120 - points.length + i},${39 - 38 * point / top}`);
    }
  });
  lines.push(current);
  byId('course').replaceChildren(...lines.filter(line => line.length > 1).map(line => {
    const shape = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
    shape.setAttribute('points', line.join(' '));
    return shape;
  }));
}

function show(overview) {
  if (overview.sequence !== sequence) {
    sequence = overview.sequence;
    changed = Date.now();
  }
  byId('rate').textContent = number(overview.transactionsPerSecond);
  byId('begins').textContent = number(overview.beginsPerSecond);
  byId('conflict').textContent = number(overview.abortsByCause.conflict);
  byId('refused').textContent = number(overview.abortsByCause.refused);
  byId('lag').textContent = seconds(overview.safePointLagSeconds);
  byId('epoch').textContent = overview.epoch ?? '–';
  drawCourse(overview.course);
  byId('managers').replaceChildren(...overview.managers.map(manager => row([
    manager.address, manager.role, seconds(manager.leaseSeconds),
    [manager.problem, manager.clockComplaint, manager.draining ? 'draining' : '']
      .filter(text => text).join('; ')])));
  byId('buckets').textContent = overview.validators === null ? 'Not known.'
    : `Buckets of the primary: ${number(overview.bucketsOfPrimary)} of 2,520.`;
  byId('validators').replaceChildren(...(overview.validators ?? []).map(each => row([
    each.name, each.address, number(each.buckets), number(each.votesPerSecond), each.state,
    each.state === 'votes' && each.remembersSeconds === null ? 'all' : seconds(each.remembersSeconds),
    each.problem])));
  const hold = overview.safePoint.oldestHold;
  byId('hold').textContent = hold
    ? `Held back by ${hold.owner} / ${hold.name}: ${seconds(hold.lagSeconds)} old, `
      + `for ${seconds(hold.remainingSeconds)} more. Holds: ${overview.safePoint.holds}.`
    : `No hold. Retention: ${seconds(overview.safePoint.retentionSeconds)}.`;
  byId('longest').textContent = typeof overview.longTransactions === 'number'
    ? `Open for more than a second: ${overview.longTransactions}.`
    : 'Not disclosed: the console needs the role administrator.';
  byId('transactions').replaceChildren(...overview.oldestTransactions.map(each => row([
    seconds(each.ageSeconds), each.principal || '–', each.client, each.tables])));
  byId('hot').textContent = overview.hotRows === null
    ? 'Not disclosed: the console needs the role administrator.'
    : `Rows with conflicts: ${overview.hotRows.length}.`;
  byId('hotRows').replaceChildren(...(overview.hotRows ?? []).map(each => row([
    number(each.conflicts), each.table, each.row || '–', each.kind,
    each.losers.map(loser => `${loser.principal || '–'} ${loser.client}: ${number(loser.conflicts)}`)
      .join('; ')])));
  report(overview.problem ?? '', overview.primary !== null);
}

function report(problem, good) {
  const stale = Date.now() - changed > STALE_MILLIS;
  const text = problem || (stale ? 'The figures are not being refreshed.' : '');
  byId('problem').textContent = text;
  byId('problem').hidden = text === '';
  byId('state').textContent = good && !text ? 'primary answers' : good ? 'stale' : 'no primary';
  byId('state').classList.toggle('bad', !good || text !== '');
}

async function refresh() {
  try {
    // The token comes behind the # of the address, so no server and no log sees it there.
    const headers = location.hash ? { Authorization: 'Bearer ' + location.hash.slice(1) } : {};
    const answer = await fetch('/api/overview', { cache: 'no-store', headers });
    if (answer.status === 401) {
      report("Open the address that 'lampone console' has printed.", false);
    } else {
      show(await answer.json());
    }
  } catch (failure) {
    report('The console does not answer.', false);
  }
  setTimeout(refresh, 1000);
}
refresh();
