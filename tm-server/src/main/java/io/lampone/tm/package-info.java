/** The transaction manager process: how to configure it, start it in a process or from a shell. */
@NullMarked
package io.lampone.tm;

import org.jspecify.annotations.NullMarked;
