/**
 * Decisions of a transaction manager, separate from its network and the store of its record:
 * single-threaded classes behind ports, so that a simulator can run the same code.
 */
@NullMarked
package io.lampone.tm.core;

import org.jspecify.annotations.NullMarked;
