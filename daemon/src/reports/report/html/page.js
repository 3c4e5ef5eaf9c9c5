"use strict";
// What the lists of groups and of findings share.
const byId = (id) => document.getElementById(id);
const counted = (n, one) => n.toLocaleString("en") + " " + one + (n === 1 ? "" : "s");
const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
const focusOnSlash = (search) => document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    search.focus();
  }
});

// The list of groups, from their data.
(() => {
  const SHOWN = 100;
  const data = byId("groups-data");
  if (!data) return;
  // Each group: id, page, principal, files, texts, least resemblance or null (of a core a count), other paths.
  const groups = JSON.parse(data.textContent);
  const [ID, PAGE, PRINCIPAL, FILES, TEXTS, LEAST, OTHERS] = [0, 1, 2, 3, 4, 5, 6];
  const table = byId("groups");
  const body = table.tBodies[0];
  const numbers = table.tHead.querySelector("button[data-column='5']").textContent;
  const search = byId("search"), texts = byId("texts"), files = byId("files");
  const status = byId("shown"), back = byId("back"), next = byId("next"), order = byId("sort");
  const nothing = byId("partial")
    ? "No group matches by the paths that are searched here; groups.jsonl has all."
    : "No group matches.";
  let found = groups, first = 0, sortedBy = null, ascending = true;

  const share = (v) =>
    v === null ? "not measured"
    : v > 1 ? String(v)
    : v < 1 && v > 0.9995 ? "0.999"
    : v > 0 && v < 0.0005 ? "<0.001"
    : v.toFixed(3);
  const pageName = (page) => (page ? "report-" + String(page + 1).padStart(4, "0") + ".html" : "");
  const holds = (path, wanted) => {
    const lower = path.toLowerCase();
    return wanted.every((word) => lower.includes(word));
  };
  const match = (group, wanted) =>
    holds(group[PRINCIPAL], wanted) ? group[PRINCIPAL] : group[OTHERS].find((path) => holds(path, wanted));

  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const cell = (text, is) => {
    const made = element("td", text, "r");
    made.dataset.is = is;
    return made;
  };
  const row = (group, wanted) => {
    const link = element("a", String(group[ID]));
    link.href = pageName(group[PAGE]) + "#g" + group[ID];
    const id = cell(undefined, "Group");
    id.append(link);
    const principal = element("td");
    principal.append(element("bdi", group[PRINCIPAL], "path"));
    const where = wanted.length ? match(group, wanted) : group[PRINCIPAL];
    if (where !== group[PRINCIPAL]) {
      const other = element("small", "holds ", "match");
      other.append(element("bdi", where, "path"));
      principal.append(other);
    }
    const made = element("tr");
    made.append(id, principal, cell(group[FILES].toLocaleString("en"), "Files"),
      cell(group[TEXTS].toLocaleString("en"), "Texts"), cell(share(group[LEAST]), numbers));
    return made;
  };
  const show = () => {
    const wanted = wordsOf(search.value);
    const last = Math.min(first + SHOWN, found.length);
    body.replaceChildren(...found.slice(first, last).map((group) => row(group, wanted)));
    status.textContent = found.length === 0
      ? nothing
      : (first + 1).toLocaleString("en") + " to " + last.toLocaleString("en") + " of " + counted(found.length, "group") +
        (found.length < groups.length ? ", of " + groups.length.toLocaleString("en") + " in all" : "");
    back.disabled = first === 0;
    next.disabled = last === found.length;
  };
  const filter = () => {
    const wanted = wordsOf(search.value);
    const least = Number(files.value);
    found = groups.filter((group) =>
      group[FILES] >= least &&
      (texts.value === "all" || (texts.value === "one") === (group[TEXTS] === 1)) &&
      (wanted.length === 0 || match(group, wanted) !== undefined));
    if (sortedBy !== null) {
      const sign = ascending ? 1 : -1;
      const compare = (a, b) => (a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -sign : sign);
      found.sort((a, b) => compare(a[sortedBy], b[sortedBy]));
    }
    first = 0;
    show();
  };
  // The heads of the table sort, and on narrow screens, which show none, a choice.
  const heads = Array.from(table.tHead.querySelectorAll("button"));
  const sort = (column, rising) => {
    [sortedBy, ascending] = [column, rising];
    for (const head of heads) {
      const is = Number(head.dataset.column) === column;
      if (is) head.closest("th").setAttribute("aria-sort", ascending ? "ascending" : "descending");
      else head.closest("th").removeAttribute("aria-sort");
    }
    order.value = column === null ? "" : column + (ascending ? "+" : "-");
    filter();
  };
  const turn = (by) => {
    first += by;
    show();
    // A button that is disabled loses the focus.
    if (next.disabled && by > 0) back.focus();
    if (back.disabled && by < 0) next.focus();
  };

  byId("tools").hidden = false;
  byId("pager").hidden = false;
  for (const head of heads) {
    const column = Number(head.dataset.column);
    head.disabled = false;
    head.addEventListener("click", () => sort(column, sortedBy === column ? !ascending : column <= PRINCIPAL));
    order.add(new Option(head.textContent + " \u2191", column + "+"));
    order.add(new Option(head.textContent + " \u2193", column + "-"));
  }
  order.addEventListener("change", () =>
    sort(order.value ? parseInt(order.value, 10) : null, order.value.endsWith("+")));
  search.addEventListener("input", filter);
  texts.addEventListener("change", filter);
  files.addEventListener("change", filter);
  back.addEventListener("click", () => turn(-SHOWN));
  next.addEventListener("click", () => turn(SHOWN));
  focusOnSlash(search);
  // A browser keeps what was typed when it comes back to the page.
  if (search.value || texts.value !== "all" || files.value !== "2") filter();
  else show();
})();

// The table of findings, of which rows are hidden.
(() => {
  const table = byId("findings");
  if (!table) return;
  const [OWNER, RELATION] = [1, 2];
  const search = byId("search"), owner = byId("owner"), relation = byId("relation"), status = byId("shown");
  const findings = Array.from(table.tBodies[0].rows, (row) => ({
    row,
    text: row.textContent.toLowerCase(),
    owner: row.cells[OWNER].textContent,
    relation: row.cells[RELATION].textContent,
  }));
  const choices = (select, values) => {
    for (const value of [...new Set(values)].sort()) select.add(new Option(value, value));
  };
  const chosen = (select, value) => select.value === "" || select.value === value;
  const filter = () => {
    const wanted = wordsOf(search.value);
    let found = 0;
    for (const one of findings) {
      const matches = chosen(owner, one.owner) && chosen(relation, one.relation) &&
        wanted.every((word) => one.text.includes(word));
      one.row.hidden = !matches;
      if (matches) found += 1;
    }
    const here = byId("partial") ? " on this page; findings.jsonl has all" : "";
    status.textContent = found === findings.length
      ? counted(found, "finding") + here
      : found.toLocaleString("en") + " of " + counted(findings.length, "finding") + here;
  };

  choices(owner, findings.map((one) => one.owner));
  choices(relation, findings.map((one) => one.relation));
  byId("tools").hidden = false;
  status.hidden = false;
  search.addEventListener("input", filter);
  owner.addEventListener("change", filter);
  relation.addEventListener("change", filter);
  focusOnSlash(search);
  filter();
})();
