'use strict';
// Every value from the server goes into the page as text, never as HTML.
const STALE_MILLIS = 5000;
const OLD_CHECK_SECONDS = 180; // one begins a minute after the last
const byId = id => document.getElementById(id);
let sequence = 0;
let changed = Date.now();

const number = value => typeof value === 'number'
  ? value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 }) : '–';
const seconds = value => typeof value !== 'number' ? '–'
  : value < 120 ? number(value) + ' s'
    : value < 7200 ? number(value / 60) + ' min' : number(value / 3600) + ' h';

const millis = value => typeof value !== 'number' ? '–'
  : value < 1000 ? value.toLocaleString('en', { maximumSignificantDigits: 3 }) + ' ms'
    : number(value / 1000) + ' s';

// Each cell names its column, which a narrow page shows beside the value.
function fill(id, rows) {
  const body = byId(id);
  const heads = [...body.parentElement.querySelectorAll('th')].map(head => head.textContent);
  body.replaceChildren(...rows.map(cells => {
    const line = document.createElement('tr');
    cells.forEach((text, i) => {
      const cell = line.appendChild(document.createElement('td'));
      cell.textContent = text;
      cell.dataset.label = heads[i];
    });
    if (cells[0] === 'fail' || cells[0] === 'warn') {
      line.className = cells[0];
    }
    return line;
  }));
  body.parentElement.hidden = rows.length === 0;
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
  const causes = Object.entries(overview.abortsByCause);
  const known = overview.transactionsPerSecond !== null;
  byId('rate').textContent = number(overview.transactionsPerSecond);
  byId('fast').textContent = number(overview.fastPathPerSecond);
  byId('aborts').textContent = known
    ? number(causes.reduce((sum, cause) => sum + cause[1], 0)) : '–';
  byId('oldest').textContent = seconds(overview.oldestTransactionSeconds);
  byId('lag').textContent = seconds(overview.safePointLagSeconds);
  byId('epoch').textContent = overview.epoch ?? '–';
  drawCourse(overview.course);
  fill('latencies', overview.latencies.map(each => [
    each.phase, number(each.perSecond), millis(each.medianMillis), millis(each.p99Millis)]));
  fill('causes', causes.sort((one, other) => other[1] - one[1])
    .map(([cause, rate]) => [cause, number(rate)]));
  showFindings(overview);
  showCluster(overview);
  showTransactions(overview);
  report(overview.problem ?? '', overview.primary !== null);
}

function showFindings(overview) {
  const doctor = overview.doctor;
  const doctors = doctor === null ? [] : doctor.findings;
  byId('checked').textContent = (overview.findings === null ? 'The first check is running.'
    : `${overview.checksPassed} checks passed ${seconds(overview.checkedSecondsAgo)} ago.`
      + (overview.checkedSecondsAgo > OLD_CHECK_SECONDS
        ? ' This is old: run lampone check yourself.' : '')
      + (overview.findingsOmitted > 0 ? ` ${overview.findingsOmitted} findings are not listed.` : ''))
    + (doctor === null ? '' : doctor.problem ? ' ' + doctor.problem + '.'
      : ` The doctor has found ${number(doctor.found)}, ${seconds(doctor.secondsAgo)} ago.`);
  fill('findings', [...(overview.findings ?? []), ...doctors].map(each => [
    each.level, `${each.check} ${each.subject}`, each.found, each.advice]));
  fill('tables', (overview.tables ?? []).map(each => [each.subject, each.level, each.found]));
}

function showCluster(overview) {
  fill('managers', overview.managers.map(manager => [
    manager.address, manager.role, seconds(manager.leaseSeconds),
    [manager.problem, manager.clockComplaint, manager.draining ? 'draining' : '']
      .filter(text => text).join('; ')]));
  byId('buckets').textContent = overview.validators === null ? 'Not known.'
    : `Buckets of the primary: ${number(overview.bucketsOfPrimary)} of 2,520.`;
  fill('validators', (overview.validators ?? []).map(each => [
    each.name, each.address, number(each.buckets), number(each.votesPerSecond), each.state,
    each.state === 'votes' && each.remembersSeconds === null ? 'all' : seconds(each.remembersSeconds),
    each.problem]));
  byId('servers').textContent = overview.regionServers === null
    ? 'Not disclosed: the console needs the role administrator.'
    : `Reporting to the primary: ${overview.regionServers.length}.`;
  fill('regionServers', (overview.regionServers ?? []).map(each => [
    each.server, number(each.openRegions), number(each.requestsPerSecond),
    Object.entries(each.refusalsByCode).map(([code, rate]) => `${code} ${number(rate)}`).join(', ')
      || number(each.refusalsPerSecond),
    number(each.waitsPerSecond), number(each.intentsMetPerSecond), seconds(each.clockLagSeconds),
    seconds(each.safePointLagSeconds),
    each.epoch === overview.epoch ? number(each.epoch) : `${number(each.epoch)}, not the primary's`,
    number(each.unsettled)]));
}

function showTransactions(overview) {
  const hold = overview.safePoint.oldestHold;
  byId('hold').textContent = hold
    ? `Held back by ${hold.owner} / ${hold.name}: ${seconds(hold.lagSeconds)} old, `
      + `for ${seconds(hold.remainingSeconds)} more. Holds: ${overview.safePoint.holds}.`
    : `No hold. Retention: ${seconds(overview.safePoint.retentionSeconds)}.`;
  byId('longest').textContent = typeof overview.longTransactions === 'number'
    ? `Open for more than a second: ${overview.longTransactions}.`
    : 'Not disclosed: the console needs the role administrator.';
  fill('transactions', overview.oldestTransactions.map(each => [
    seconds(each.ageSeconds), each.principal || '–', each.client, each.tables]));
  byId('hot').textContent = overview.hotRows === null
    ? 'Not disclosed: the console needs the role administrator.'
    : `Rows with conflicts: ${overview.hotRows.length}.`;
  fill('hotRows', (overview.hotRows ?? []).map(each => [
    number(each.conflicts), each.table, each.row || '–', each.kind,
    each.losers.map(loser => `${loser.principal || '–'} ${loser.client}: ${number(loser.conflicts)}`)
      .join('; ')]));
}

function report(problem, good, otherwise = 'no primary') {
  const stale = Date.now() - changed > STALE_MILLIS;
  const text = problem || (stale ? 'The figures are not being refreshed.' : '');
  byId('problem').textContent = text;
  byId('problem').hidden = text === '';
  byId('state').textContent = good && !text ? 'primary answers' : good ? 'stale' : otherwise;
  byId('state').classList.toggle('bad', !good || text !== '');
}

// A name and its secret are kept until the tab is closed.
function authorization() {
  // The token comes behind the # of the address, so no server and no log sees it there.
  const basic = sessionStorage.getItem('basic');
  return basic ? { Authorization: 'Basic ' + basic }
    : location.hash ? { Authorization: 'Bearer ' + location.hash.slice(1) } : {};
}

function logIn(event) {
  event.preventDefault();
  const bytes = new TextEncoder().encode(byId('name').value.trim() + ':' + byId('secret').value);
  sessionStorage.setItem('basic', btoa(String.fromCharCode(...bytes)));
  byId('secret').value = '';
  byId('login').hidden = true;
  report('The name is being checked.', false, 'no figures');
}

async function refresh() {
  try {
    const answer = await fetch('/api/overview', { cache: 'no-store', headers: authorization() });
    byId('login').hidden = answer.status !== 401;
    if (answer.status === 401) {
      sessionStorage.removeItem('basic');
      report(await answer.text(), false, 'no figures');
    } else if (answer.ok) {
      show(await answer.json());
    } else {
      report(await answer.text(), false, 'no figures');
    }
  } catch (failure) {
    report('The console does not answer.', false, 'no figures');
  }
  setTimeout(refresh, 1000);
}
byId('login').addEventListener('submit', logIn);
refresh();
