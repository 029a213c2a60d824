/**
 * Keyed hashes by which a client proves that a transaction is its own and a server states the
 * outcome of one (protocol page, section 13): term keys, grants, statements.
 */
@NullMarked
package io.lampone.protocol.trust;

import org.jspecify.annotations.NullMarked;
