/**
 * Keyed hashes by which a client proves that a transaction is its own, and a server states what has
 * become of one (protocol page, section 13): keys of a term, grants, statements.
 */
@NullMarked
package io.lampone.protocol.trust;

import org.jspecify.annotations.NullMarked;
