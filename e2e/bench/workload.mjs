/**
 * What every subject answers: states whose prompts have about 100, 500 and 2,000 tokens up to the question, and questions of
 * about 60. Plain sentences, so that tokenisers treat it as they treat real text.
 */
const ticket = `Ticket 48213, opened by Dana Whitfield of Northfield Bakery on 3 October at 08:14.

Dana writes: On the first of the month your system charged our company card twice for the Team plan, 49 euros each time, and this is the second month in a row. In September I was told on the phone that the extra charge would be returned within five working days. It was not. I have attached both card statements and the invoice, which shows only one charge.

Your colleague Marek answered on 4 October at 16:40 that the second charge looks like a reservation that will fall away by itself, and that he could not see any double payment in our account. He asked us to wait until the end of the week and closed the ticket.

Dana answers on 7 October at 09:02: It did not fall away. Our bank confirms that both payments were booked and that they came from the same merchant number. I called the support line three times today and waited for more than twenty minutes each time before the line was cut. Nobody has called back, although the recorded voice promises it within two hours.

We also noticed that since the double charge our account shows two workspaces with the same name, and that two of our drivers can no longer sign in on their phones: they see a message that their seat is used elsewhere. The office computers work as usual. The delivery plan for tomorrow morning depends on those phones, so one of us will have to print it and drive it over tonight.

Our contract runs until the end of December. Our accountant says that we must dispute the charge with the bank by the fifteenth if it is not returned, and she has asked me for prices of two other products. I would rather stay, because the staff know how to use yours, but I cannot explain this to my boss a third time.

Please return both wrong charges, tell me in writing when that will arrive, and give the two drivers their access back today. My number is on the account; mornings are best, and I am at my desk from six. If you need the card statements once more, write to the office, not to my private address.`;

const [opening = "", complaint = ""] = ticket.split("\n\n");

/** Another customer with the same trouble: different from the first token on, and as long. */
const another = ticket
  .replace(
    "48213, opened by Dana Whitfield of Northfield Bakery on 3 October",
    "51774, opened by Noor Haddad of Eastgate Florists on 5 May",
  )
  .replaceAll("Dana", "Noor")
  .replaceAll("October", "May");

/** By tokens of the prompt up to the question, about. @type {Readonly<Record<import("./measures.mjs").StateSize, string>>} */
export const states = {
  100: `${opening}\n\n${complaint.split(". ").slice(0, 1).join(". ")}.`,
  500: ticket,
  2000: [ticket, another, ticket.replaceAll("Dana", "Ines"), another.replaceAll("Noor", "Ruth"), complaint].join(
    "\n\n",
  ),
};

/**
 * @typedef {{ type: "choice", instructions: string, options: [key: string, meaning: string][] }
 *   | { type: "noul", instructions: string, criteria: { true: string, false: string } }
 *   | { type: "score", instructions: string, levels: string[] }} WorkQuestion
 */

/** @type {[key: string, meaning: string][]} */
const teams = [
  ["billing", "charges and refunds"],
  ["technical", "errors and outages"],
  ["account", "sign-in and seats"],
  ["sales", "plans and contracts"],
];

/**
 * Type, instructions, and options of each question, as `choice` and its siblings take them.
 *
 * @type {Readonly<Record<string, WorkQuestion>>}
 */
const distinct = {
  first: { type: "choice", instructions: "Which team should look at this ticket first?", options: teams },
  second: { type: "choice", instructions: "Which team has to be told as well?", options: teams },
  cause: {
    type: "choice",
    instructions: "What is the most likely cause of the second charge?",
    options: [
      ["duplicate", "two workspaces are charged"],
      ["reservation", "it falls away by itself"],
      ["fraud", "somebody else uses the card"],
    ],
  },
  mood: {
    type: "choice",
    instructions: "How does the customer feel in the last message?",
    options: [
      ["calm", "is in no hurry"],
      ["annoyed", "impatient but friendly"],
      ["angry", "threatens with consequences"],
    ],
  },
  leaving: {
    type: "noul",
    instructions: "Is it likely that this customer leaves before the end of the year?",
    criteria: { true: "asks for other prices or a dispute", false: "wants to stay whatever happens" },
  },
  blocked: {
    type: "noul",
    instructions: "Is somebody of this company kept from their work right now?",
    criteria: { true: "people cannot reach what they need", false: "everybody can work somehow" },
  },
  urgency: {
    type: "score",
    instructions: "How urgent is an answer to the last message?",
    levels: ["can wait until next week", "within a few days", "still today", "right now"],
  },
  fault: {
    type: "score",
    instructions: "How much of this trouble was made by our own support?",
    levels: ["none of it", "a small part", "about half of it", "nearly all of it"],
  },
};

/**
 * So many questions by their ids. After the eight, they come again and begin differently, so that none shares its evaluation
 * with another.
 *
 * @param {number} count
 * @returns {Record<string, WorkQuestion>}
 */
export function questionsOf(count) {
  const all = Object.entries(distinct);
  const chosen = Array.from({ length: count }, (_, index) => {
    const [id, question] = /** @type {[string, WorkQuestion]} */ (all[index % all.length]);
    const reader = Math.floor(index / all.length) + 1;
    if (reader === 1) return [id, question];
    return [`${id}${reader}`, { ...question, instructions: `Reader ${reader} asks: ${question.instructions}` }];
  });
  return Object.fromEntries(chosen);
}

export const systemText = "You are a decision function. You read the input and pick the single best option.";

/**
 * What the user says before the question.
 *
 * @param {import("./measures.mjs").StateSize} size
 */
export function stateText(size) {
  return `Input:\n${states[size]}\n\n`;
}

/** @param {WorkQuestion} question */
export function questionText(question) {
  const lines = optionsOf(question).map((option, index) => `${letterAt(index)}) ${option}`);
  return `Question: ${question.instructions}

Options:
${lines.join("\n")}

Reply with the letter of the best option only.`;
}

/**
 * The letters that a question is answered with.
 *
 * @param {WorkQuestion} question
 */
export function lettersOf(question) {
  return optionsOf(question).map((_, index) => letterAt(index));
}

/** @param {WorkQuestion} question */
function optionsOf(question) {
  if (question.type === "choice") return question.options.map(([key, meaning]) => `${key}: ${meaning}`);
  if (question.type === "noul") return [`yes: ${question.criteria.true}`, `no: ${question.criteria.false}`];
  return question.levels.map((level, index) => `${index}: ${level}`);
}

/** @param {number} index */
function letterAt(index) {
  return String.fromCharCode(65 + index);
}

/**
 * The prompt in ChatML up to the question, for subjects that are given text.
 *
 * @param {import("./measures.mjs").StateSize} size
 */
export function promptStart(size) {
  return `<|im_start|>system\n${systemText}<|im_end|>\n<|im_start|>user\n${stateText(size)}`;
}

/**
 * The rest of it.
 *
 * @param {WorkQuestion} question
 */
export function promptEnd(question) {
  return `${questionText(question)}<|im_end|>\n<|im_start|>assistant\n`;
}
