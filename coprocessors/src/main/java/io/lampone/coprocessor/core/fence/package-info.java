/**
 * Knowledge that a region server needs before it answers: floors, safe point, sessions, proofs
 * (protocol page, sections 6 and 13).
 */
@NullMarked
package io.lampone.coprocessor.core.fence;

import org.jspecify.annotations.NullMarked;
