/**
 * Decisions of a transaction manager, apart from its network and the store of its record: plain
 * single-threaded classes behind ports, so that a simulator can run the very same code.
 */
@NullMarked
package io.lampone.tm.core;

import org.jspecify.annotations.NullMarked;
