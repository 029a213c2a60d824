/** Commands of people and tools to a transaction manager, separate from transaction requests. */
@NullMarked
package io.lampone.tm.command;

import org.jspecify.annotations.NullMarked;
