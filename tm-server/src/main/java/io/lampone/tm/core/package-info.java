/**
 * What a transaction manager decides, apart from how it is reached and where its record is kept:
 * plain single-threaded classes behind ports, so that a simulator can run the very same code.
 */
@NullMarked
package io.lampone.tm.core;

import org.jspecify.annotations.NullMarked;
