// What the service tells. Instants are `Date`, cut to milliseconds; ids are UUID strings.
export {};
