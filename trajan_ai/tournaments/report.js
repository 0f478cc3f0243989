// Sorts a table of a report by the column whose head is clicked.

// Returns the number that a cell begins with, or null: `3 / 4` is a fraction, `-5 .. +9` is -5.
function readNumber(text) {
	const [first, second] = text.replaceAll(",", "").split(" / ").map(Number.parseFloat);
	if (Number.isNaN(first)) return null;
	return second ? first / second : first;
}

// Cells without a number come last.
function compare(one, other, sign) {
	const [left, right] = [readNumber(one), readNumber(other)];
	if (left === null || right === null) return Number(left === null) - Number(right === null);
	return sign * (left - right);
}

function sort(table, head, column) {
	const sign = head.ariaSort === "descending" || (!head.ariaSort && !head.matches(".figure")) ? 1 : -1;
	for (const other of table.tHead.rows[0].cells) other.ariaSort = null;
	head.ariaSort = sign > 0 ? "ascending" : "descending";
	const text = (row) => row.cells[column].textContent;
	const rows = [...table.tBodies[0].rows];
	if (head.matches(".figure")) rows.sort((one, other) => compare(text(one), text(other), sign));
	else rows.sort((one, other) => sign * text(one).localeCompare(text(other)));
	table.tBodies[0].append(...rows);
}

for (const table of document.querySelectorAll("table")) {
	[...table.tHead.rows[0].cells].forEach((head, column) => {
		const button = document.createElement("button");
		button.append(...head.childNodes);
		button.addEventListener("click", () => sort(table, head, column));
		head.append(button);
	});
}
