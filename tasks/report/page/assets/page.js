"use strict";
// Tables sort by the buttons in their heads: first the largest for numbers, then the other way.
for (const table of document.querySelectorAll("table")) {
	const body = table.tBodies[0];
	const heads = [...table.tHead.rows[0].cells];
	const value = (row, at) => {
		const cell = row.cells[at];
		const text = cell.dataset.v ?? cell.textContent;
		const number = Number(text.replaceAll(",", "").replace(/[%+]/g, ""));
		return text.trim() === "" || Number.isNaN(number) ? text : number;
	};
	const order = (a, b) => {
		if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
		return typeof a === "number" ? a - b : a.localeCompare(b);
	};
	// What a narrow page shows beside a figure, since it is no longer below its head.
	for (const row of body.rows) heads.forEach((head, at) => { row.cells[at].dataset.l = head.textContent; });
	heads.forEach((head, at) => head.querySelector("button")?.addEventListener("click", () => {
		const was = head.getAttribute("aria-sort");
		const first = head.classList.contains("n") ? "descending" : "ascending";
		const other = first === "ascending" ? "descending" : "ascending";
		const now = was === first ? other : first;
		for (const h of heads) if (h.hasAttribute("aria-sort")) h.setAttribute("aria-sort", "none");
		head.setAttribute("aria-sort", now);
		const sign = now === "ascending" ? 1 : -1;
		body.append(...[...body.rows].sort((a, b) => sign * order(value(a, at), value(b, at))));
	}));
}
for (const filter of document.querySelectorAll(".filter")) {
	const input = filter.querySelector("input");
	const rows = [...filter.closest("section").querySelectorAll("tbody tr")];
	input.addEventListener("input", () => {
		const wanted = input.value.toLowerCase();
		let shown = 0;
		for (const row of rows) {
			row.hidden = !row.textContent.toLowerCase().includes(wanted);
			if (!row.hidden) shown++;
		}
		filter.querySelector("span").textContent = wanted ? `${shown} of ${rows.length}` : "";
	});
}
// A flame graph that is in the page opens in it; of another, the link is followed.
const flames = JSON.parse(document.getElementById("flames").textContent) ?? {};
const unpack = async (text) => {
	const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
	return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
};
document.addEventListener("click", async (event) => {
	const link = event.target.closest("a.flame");
	if (!link || !(link.dataset.k in flames) || event.ctrlKey || event.metaKey || event.shiftKey) return;
	event.preventDefault();
	const dialog = document.getElementById("flame");
	const graph = document.getElementById("flame-graph");
	const svg = new DOMParser().parseFromString(await unpack(flames[link.dataset.k]), "image/svg+xml").documentElement;
	document.getElementById("flame-title").textContent = svg.querySelector("text")?.textContent ?? "";
	graph.replaceChildren(document.importNode(svg, true));
	dialog.showModal();
});
document.getElementById("flame-graph").addEventListener("pointerover", (event) => {
	const title = event.target.closest("g")?.querySelector("title");
	if (title) document.getElementById("flame-tell").textContent = title.textContent;
});
