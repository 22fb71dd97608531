<?php

spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/../src/' . str_replace(['Calendar\\', '\\'], ['', '/'], $class) . '.php';
    if (is_file($file)) {
        require $file;
    }
});

require __DIR__ . '/CalendarTestCase.php';
