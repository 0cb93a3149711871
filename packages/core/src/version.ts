/** Version of this library; a test holds it and package.json together. */
export const optioVersion = "0.1.0";
